package io.hirundo.testkit.scalar;

import io.hirundo.device.ComputeBackend;
import io.hirundo.testkit.DeviceContract;
import io.hirundo.testkit.HirundoContract;

/** The testkit's own device. */
@HirundoContract
class ScalarContractTest implements DeviceContract {
    @Override
    public ComputeBackend backend() {
        return new ScalarBackend();
    }
}
