package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.optimizer.Optimizer;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.OptimizerContract;

@HirundoContract
class AdamWContractTest implements OptimizerContract {
    @Override
    public Optimizer optimizer() {
        return new AdamWFactory().create(new AdamWOptions());
    }
}
