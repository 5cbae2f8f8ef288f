package io.hirundo.learningrate.internal;

import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Learning rate {@code constant}: warm-up, then the peak. */
@Component
@HirundoStrategy(kind = "learning-rate", name = "constant")
public final class ConstantFactory implements StrategyFactory<ConstantOptions, LearningRateSchedule> {
    @Override
    public LearningRateSchedule create(ConstantOptions options) {
        Rates.check(options.peak(), options.warmup(), options.peak());
        return new WarmupThenDecay(options.peak(), options.warmup(), options.peak(), (steps, decaySteps) -> 1);
    }
}
