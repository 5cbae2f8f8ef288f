package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Schedule {@code interleaved}. */
@Component
@HirundoStrategy(kind = "schedule", name = "interleaved")
public final class InterleavedFactory implements StrategyFactory<InterleavedOptions, PipelineSchedule> {
    @Override
    public PipelineSchedule create(InterleavedOptions options) {
        return new Interleaved(options.chunks(), options.group());
    }
}
