package io.hirundo.parallelcp.internal;

import io.hirundo.parallel.ContextParallel;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Context parallel {@code ring}. */
@Component
@HirundoStrategy(kind = "context-parallel", name = "ring")
public final class RingFactory implements StrategyFactory<OverlapOptions, ContextParallel> {
    @Override
    public ContextParallel create(OverlapOptions options) {
        return new BalancedContext(
                (group, heads, attention) -> new RingAttention(group, heads, attention, options.overlap()));
    }
}
