package io.hirundo.precisionnative.internal;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import org.osgi.service.component.annotations.Component;

/** Precision {@code fp32}: binary32 everywhere. */
@Component
@HirundoStrategy(kind = "precision", name = "fp32")
public final class Fp32Factory implements StrategyFactory<NoOptions, PrecisionStrategy> {
    @Override
    public PrecisionStrategy create(NoOptions options) {
        return new NativePrecision(DType.FP32, DType.FP32);
    }
}
