package io.hirundo.fp8blockwise.internal;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Precision {@code fp8-blockwise}: FP8 GEMMs with block scaling; everything else as in {@code bf16}. */
@Component
@HirundoStrategy(kind = "precision", name = "fp8-blockwise")
public final class Fp8BlockwiseFactory implements StrategyFactory<Fp8BlockwiseOptions, PrecisionStrategy> {
    @Override
    public PrecisionStrategy create(Fp8BlockwiseOptions options) {
        return new Fp8Blockwise(options);
    }
}
