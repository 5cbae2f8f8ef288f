package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.parallel.DataParallel;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Data parallel {@code zero1}. */
@Component
@HirundoStrategy(kind = "data-parallel", name = "zero1")
public final class Zero1Factory implements StrategyFactory<Zero1Options, DataParallel> {
    @Override
    public DataParallel create(Zero1Options options) {
        return new Zero1(options);
    }
}
