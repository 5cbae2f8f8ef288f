package io.hirundo.optimizerlion.internal;

import io.hirundo.lib.optimizer.OptionCheck;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Optimizer {@code lion}. */
@Component
@HirundoStrategy(kind = "optimizer", name = "lion")
public final class LionFactory implements StrategyFactory<LionOptions, Optimizer> {
    @Override
    public Optimizer create(LionOptions options) {
        var defaults = new LionOptions();
        OptionCheck.require(
                "beta1",
                options.beta1(),
                options.beta1() >= 0 && options.beta1() <= 1,
                "from 0 to 1",
                defaults.beta1());
        OptionCheck.requireBelowOne("beta2", options.beta2(), defaults.beta2());
        OptionCheck.require(
                "weightDecay", options.weightDecay(), options.weightDecay() >= 0, "at least 0", defaults.weightDecay());
        return new Lion(options);
    }
}
