package io.hirundo.learningrate.internal;

import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/**
 * Learning rate {@code wsd}: warm-up, stable, decay (Hu et al. 2024, arXiv 2404.06395). The peak is kept until {@code
 * decaySteps} before the end; then {@code remaining} falls along the chosen curve of {@link DecayCurve}.
 */
@Component
@HirundoStrategy(kind = "learning-rate", name = "wsd")
public final class WsdFactory implements StrategyFactory<WsdOptions, LearningRateSchedule> {
    @Override
    public LearningRateSchedule create(WsdOptions options) {
        Rates.check(options.peak(), options.warmup(), options.finalRate());
        Rates.require("decaySteps", options.decaySteps(), options.decaySteps() >= 0, "at least 0");
        DecayCurve curve = DecayCurve.named(options.decayCurve());
        return new WarmupThenDecay(
                options.peak(),
                options.warmup(),
                options.finalRate(),
                new StableThenDecay(options.decaySteps(), curve));
    }
}
