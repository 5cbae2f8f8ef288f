package io.hirundo.lib.run.strategy;

import io.hirundo.ConfigurationException;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.tensor.DType;
import java.util.List;

/** The optimizers that bundles offer. Their strategies are not held. */
record InstalledOptimizers(StrategyRegistry installed) {
    /** Names of those that update weights of this dtype with their default options. */
    List<String> updating(DType parameterType) {
        return installed.list().stream()
                .filter(info -> info.kind().equals("optimizer"))
                .map(StrategyInfo::name)
                .filter(name -> updates(name, parameterType))
                .distinct()
                .sorted()
                .toList();
    }

    private boolean updates(String name, DType parameterType) {
        try {
            return installed
                    .create(Optimizer.class, Choice.of(name), "optimizer")
                    .updates(parameterType);
        } catch (ConfigurationException needsOptions) {
            return false;
        }
    }
}
