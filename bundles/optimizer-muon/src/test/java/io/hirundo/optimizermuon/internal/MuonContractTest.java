package io.hirundo.optimizermuon.internal;

import io.hirundo.optimizer.Optimizer;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.OptimizerContract;

@HirundoContract
class MuonContractTest implements OptimizerContract {
    @Override
    public Optimizer optimizer() {
        return new MuonFactory().create(new MuonOptions());
    }

    /** An update of Muon has a fifth of the size of the learning rate. */
    @Override
    public double learningRate() {
        return 0.05;
    }
}
