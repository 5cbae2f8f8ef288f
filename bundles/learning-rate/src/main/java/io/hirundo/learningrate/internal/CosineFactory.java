package io.hirundo.learningrate.internal;

import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/**
 * Learning rate {@code cosine} (Loshchilov and Hutter 2016, arXiv 1608.03983, one period): after the warm-up, {@code
 * remaining = (1 + cos(pi n / N)) / 2} at the n-th of N steps.
 */
@Component
@HirundoStrategy(kind = "learning-rate", name = "cosine")
public final class CosineFactory implements StrategyFactory<DecayOptions, LearningRateSchedule> {
    @Override
    public LearningRateSchedule create(DecayOptions options) {
        Rates.check(options.peak(), options.warmup(), options.finalRate());
        return new WarmupThenDecay(
                options.peak(),
                options.warmup(),
                options.finalRate(),
                (n, of) -> DecayCurve.COSINE.remaining((double) n / of));
    }
}
