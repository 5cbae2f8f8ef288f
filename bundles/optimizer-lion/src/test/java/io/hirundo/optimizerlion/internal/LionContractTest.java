package io.hirundo.optimizerlion.internal;

import io.hirundo.optimizer.Optimizer;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.OptimizerContract;

@HirundoContract
class LionContractTest implements OptimizerContract {
    @Override
    public Optimizer optimizer() {
        return new LionFactory().create(new LionOptions());
    }
}
