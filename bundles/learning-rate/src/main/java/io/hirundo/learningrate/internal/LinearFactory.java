package io.hirundo.learningrate.internal;

import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Learning rate {@code linear}: after the warm-up, {@code remaining = 1 - n / N} at the n-th of N steps. */
@Component
@HirundoStrategy(kind = "learning-rate", name = "linear")
public final class LinearFactory implements StrategyFactory<DecayOptions, LearningRateSchedule> {
    @Override
    public LearningRateSchedule create(DecayOptions options) {
        Rates.check(options.peak(), options.warmup(), options.finalRate());
        return new WarmupThenDecay(
                options.peak(),
                options.warmup(),
                options.finalRate(),
                (n, of) -> DecayCurve.LINEAR.remaining((double) n / of));
    }
}
