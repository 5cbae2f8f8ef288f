package io.hirundo.monitor.internal.jsonl;

import io.hirundo.event.TrainingListener;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Monitor {@code jsonl}. */
@Component
@HirundoStrategy(kind = "monitor", name = "jsonl")
public final class JsonlFactory implements StrategyFactory<NoOptions, TrainingListener> {
    @Override
    public TrainingListener create(NoOptions options) {
        return new JsonlMonitor();
    }
}
