package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Schedule {@code 1f1b}. */
@Component
@HirundoStrategy(kind = "schedule", name = "1f1b")
public final class OneForwardOneBackwardFactory implements StrategyFactory<NoOptions, PipelineSchedule> {
    @Override
    public PipelineSchedule create(NoOptions options) {
        return new OneForwardOneBackward();
    }
}
