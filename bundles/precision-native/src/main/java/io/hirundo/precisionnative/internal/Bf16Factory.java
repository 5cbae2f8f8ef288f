package io.hirundo.precisionnative.internal;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import org.osgi.service.component.annotations.Component;

/** Precision {@code bf16}: bfloat16 activations and GEMM operands; FP32 gradients and, unless {@code masterWeights} is {@code none}, FP32 master weights. */
@Component
@HirundoStrategy(kind = "precision", name = "bf16")
public final class Bf16Factory implements StrategyFactory<Bf16Options, PrecisionStrategy> {
    @Override
    public PrecisionStrategy create(Bf16Options options) {
        return new NativePrecision(
                options.masterWeights().equals(Bf16Options.NONE) ? DType.BF16 : DType.FP32, DType.BF16);
    }
}
