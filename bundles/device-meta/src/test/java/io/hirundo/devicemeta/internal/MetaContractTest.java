package io.hirundo.devicemeta.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.testkit.DeviceContract;
import io.hirundo.testkit.HirundoContract;

@HirundoContract
class MetaContractTest implements DeviceContract {
    @Override
    public ComputeBackend backend() {
        return new MetaFactory().create(new MetaOptions());
    }
}
