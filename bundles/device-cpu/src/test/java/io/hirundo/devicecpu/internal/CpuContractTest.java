package io.hirundo.devicecpu.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.testkit.DeviceContract;
import io.hirundo.testkit.HirundoContract;

@HirundoContract
class CpuContractTest implements DeviceContract {
    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(2, CpuOptions.VECTOR));
    }
}
