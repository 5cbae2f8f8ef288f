package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.lib.optimizer.OptionCheck;
import io.hirundo.lib.optimizer.ReportedOnce;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Optimizer {@code adamw}. */
@Component
@HirundoStrategy(kind = "optimizer", name = "adamw")
public final class AdamWFactory implements StrategyFactory<AdamWOptions, Optimizer> {
    @Override
    public Optimizer create(AdamWOptions options) {
        var defaults = new AdamWOptions();
        OptionCheck.requireBelowOne("beta1", options.beta1(), defaults.beta1());
        OptionCheck.requireBelowOne("beta2", options.beta2(), defaults.beta2());
        OptionCheck.require(
                "epsilon",
                options.epsilon(),
                (float) options.epsilon() > 0,
                "above 0, also in FP32",
                defaults.epsilon());
        OptionCheck.require(
                "weightDecay", options.weightDecay(), options.weightDecay() >= 0, "at least 0", defaults.weightDecay());
        return new AdamW(options, new ReportedOnce());
    }
}
