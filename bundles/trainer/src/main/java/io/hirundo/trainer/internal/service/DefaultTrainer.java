package io.hirundo.trainer.internal.service;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The trainer service for embedding applications. */
@Component
public final class DefaultTrainer implements Trainer {
    private final StrategyCatalog strategies;

    @Activate
    public DefaultTrainer(@Reference StrategyCatalog strategies) {
        this.strategies = strategies;
    }

    @Override
    public TrainingRun prepare(Map<String, Object> configuration) {
        return open(new ConfigurationBinder(strategies).bind(configuration));
    }

    @Override
    public TrainingRun prepare(Path configuration, List<String> assignments) {
        return open(new ConfigurationBinder(strategies).read(configuration, assignments));
    }

    private TrainingRun open(RunConfiguration bound) {
        if (bound.audit().isOn()) {
            throw new ConfigurationException("audit.rate: only the command train supports audits; set audit.rate=0");
        }
        try (var chosen = new StrategyResolver(strategies).resolve(bound)) {
            return LocalRun.open(bound, chosen);
        }
    }
}
