package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.parallel.DataParallel;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Data parallel {@code fsdp}. */
@Component
@HirundoStrategy(kind = "data-parallel", name = "fsdp")
public final class FsdpFactory implements StrategyFactory<FsdpOptions, DataParallel> {
    @Override
    public DataParallel create(FsdpOptions options) {
        return new Fsdp(options);
    }
}
