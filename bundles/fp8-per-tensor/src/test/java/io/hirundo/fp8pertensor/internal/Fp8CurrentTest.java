package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.testkit.Fp8Contract;
import io.hirundo.testkit.HirundoContract;

@HirundoContract
class Fp8CurrentTest implements Fp8Contract {
    @Override
    public PrecisionStrategy strategy() {
        return new Fp8CurrentFactory().create(new Fp8CurrentOptions());
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    /** E5M2 gradients are rounded by an eighth at most, 0.053 on average; E4M3 by half of that. */
    @Override
    public double tolerance() {
        return 0.09;
    }
}
