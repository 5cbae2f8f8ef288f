package io.hirundo.devicecuda.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.testkit.DeviceContract;
import io.hirundo.testkit.HirundoContract;

/** The device contract on a stub of the driver that runs kernels on the CPU. */
@HirundoContract
class CudaContractTest implements DeviceContract {
    @Override
    public ComputeBackend backend() {
        return StubCuda.orSkip().backend();
    }
}
