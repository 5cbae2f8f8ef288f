package io.hirundo.optimizermuon.internal;

import io.hirundo.lib.optimizer.OptionCheck;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Optimizer {@code muon}. */
@Component
@HirundoStrategy(kind = "optimizer", name = "muon")
public final class MuonFactory implements StrategyFactory<MuonOptions, Optimizer> {
    @Override
    public Optimizer create(MuonOptions options) {
        var defaults = new MuonOptions();
        OptionCheck.requireBelowOne("momentum", options.momentum(), defaults.momentum());
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
        return Muon.of(options);
    }
}
