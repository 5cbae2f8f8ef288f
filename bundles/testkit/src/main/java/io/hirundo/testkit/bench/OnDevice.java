package io.hirundo.testkit.bench;

import io.hirundo.device.ComputeBackend;
import io.hirundo.testkit.scalar.ScalarBackend;

/** A contract that needs a device. */
public interface OnDevice {
  /**
   * The backend whose device clauses run on. The default is a scalar device with GEMM, elementwise and optimizer kernels, which fills new
   * memory with NaN and rejects use after close. Strategies with other kernels need another backend, such as {@code device-cpu}'s.
   */
  default ComputeBackend backend() {
    return new ScalarBackend();
  }
}
