package io.hirundo.parallelcp.internal;

import io.hirundo.parallel.ContextParallel;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Context parallel {@code all-gather}. */
@Component
@HirundoStrategy(kind = "context-parallel", name = "all-gather")
public final class AllGatherFactory implements StrategyFactory<OverlapOptions, ContextParallel> {
    @Override
    public ContextParallel create(OverlapOptions options) {
        return new BalancedContext(
                (group, heads, attention) -> new AllGatherAttention(group, heads, attention, options.overlap()));
    }
}
