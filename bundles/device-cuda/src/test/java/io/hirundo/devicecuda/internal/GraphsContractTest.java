package io.hirundo.devicecuda.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.testkit.DeviceContract;
import io.hirundo.testkit.HirundoContract;

/** The device contract with CUDA graphs. */
@HirundoContract
class GraphsContractTest implements DeviceContract {
    @Override
    public ComputeBackend backend() {
        return StubCuda.orSkip().backendWithGraphs();
    }
}
