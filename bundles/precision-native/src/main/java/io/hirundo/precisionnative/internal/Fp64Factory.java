package io.hirundo.precisionnative.internal;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import org.osgi.service.component.annotations.Component;

/** Precision {@code fp64}: binary64 everywhere, for devices whose kernels support it, such as the scalar reference. */
@Component
@HirundoStrategy(kind = "precision", name = "fp64")
public final class Fp64Factory implements StrategyFactory<NoOptions, PrecisionStrategy> {
    @Override
    public PrecisionStrategy create(NoOptions options) {
        return new NativePrecision(DType.FP64, DType.FP64);
    }
}
