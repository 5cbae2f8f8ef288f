package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Schedule {@code gpipe}. */
@Component
@HirundoStrategy(kind = "schedule", name = "gpipe")
public final class GPipeFactory implements StrategyFactory<NoOptions, PipelineSchedule> {
    @Override
    public PipelineSchedule create(NoOptions options) {
        return new GPipe();
    }
}
