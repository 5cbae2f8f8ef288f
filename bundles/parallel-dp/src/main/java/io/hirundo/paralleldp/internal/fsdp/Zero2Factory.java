package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.parallel.DataParallel;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Data parallel {@code zero2}. */
@Component
@HirundoStrategy(kind = "data-parallel", name = "zero2")
public final class Zero2Factory implements StrategyFactory<Zero2Options, DataParallel> {
    @Override
    public DataParallel create(Zero2Options options) {
        var shared = new FsdpOptions(
                options.overlap(),
                options.gatherCodes(),
                options.reduceInBf16(),
                options.gradientType(),
                options.shardSize(),
                options.reduceEvery(),
                false);
        return new Fsdp(shared, true);
    }
}
