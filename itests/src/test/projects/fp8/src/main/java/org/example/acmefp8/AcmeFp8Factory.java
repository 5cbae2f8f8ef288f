package org.example.acmefp8;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the precision {@code acme-fp8}. */
@Component
@HirundoStrategy(kind = "precision", name = "acme-fp8")
public final class AcmeFp8Factory implements StrategyFactory<NoOptions, PrecisionStrategy> {
    @Override
    public PrecisionStrategy create(NoOptions options) {
        return new AcmeFp8Precision();
    }
}
