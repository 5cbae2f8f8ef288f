package io.hirundo.fp8blockwise.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;
import java.util.List;

/** Output gradients in E5M2, and messages between stages in E4M3. */
@HirundoContract
class WideGradientsTest implements PrecisionContract {
    @Override
    public PrecisionStrategy strategy() {
        return new Fp8BlockwiseFactory()
                .create(new Fp8BlockwiseOptions(
                        Fp8BlockwiseOptions.EXACT,
                        Fp8BlockwiseOptions.E5M2,
                        Fp8BlockwiseOptions.ALIGNED,
                        0,
                        0,
                        true,
                        false,
                        Fp8BlockwiseOptions.FP8));
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    /** E5M2 is rounded by an eighth at most, 0.053 on average; E4M3 by half of that. */
    @Override
    public double tolerance() {
        return 0.09;
    }

    @Override
    public List<LinearShape> shapes() {
        return List.of(new LinearShape("layers.3.mlp.down", 144, 272));
    }
}
