package io.hirundo.testkit.bench;

import io.hirundo.device.ComputeBackend;
import io.hirundo.testkit.scalar.ScalarBackend;

/** A contract that needs a device. */
public interface OnDevice {
  /**
   * Whose device the clauses run on, by default one of plain loops: it has the GEMM and elementwise kernels, poisons new memory
   * and finds out use after close. Others need another, {@code device-cpu}'s for instance.
   */
  default ComputeBackend backend() {
    return new ScalarBackend();
  }
}
