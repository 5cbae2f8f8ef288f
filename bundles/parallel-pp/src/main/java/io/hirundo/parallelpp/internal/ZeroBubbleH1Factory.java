package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Schedule {@code zb-h1}. */
@Component
@HirundoStrategy(kind = "schedule", name = "zb-h1")
public final class ZeroBubbleH1Factory implements StrategyFactory<NoOptions, PipelineSchedule> {
    @Override
    public PipelineSchedule create(NoOptions options) {
        return new ZeroBubbleH1();
    }
}
