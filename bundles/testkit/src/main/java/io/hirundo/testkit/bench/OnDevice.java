package io.hirundo.testkit.bench;

import io.hirundo.device.ComputeBackend;
import io.hirundo.testkit.scalar.ScalarBackend;

/** A contract that needs a device. */
public interface OnDevice {
    /**
     * The backend whose device clauses run on. The default is a scalar device with the kernels of layers and optimizers, which fills new
     * memory with NaN and rejects use after close. It has no kernels of 8-bit matrices: strategies that use those need another backend,
     * such as {@code device-cpu}'s.
     */
    default ComputeBackend backend() {
        return new ScalarBackend();
    }
}
