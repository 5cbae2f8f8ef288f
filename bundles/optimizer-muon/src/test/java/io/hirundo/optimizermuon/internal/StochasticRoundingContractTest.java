package io.hirundo.optimizermuon.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.OptimizerContract;
import java.util.List;

/** BF16 weights that are rounded stochastically. */
@HirundoContract
class StochasticRoundingContractTest implements OptimizerContract {
    @Override
    public Optimizer optimizer() {
        return new MuonFactory().create(new MuonOptions());
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    @Override
    public DType weightType() {
        return DType.BF16;
    }

    @Override
    public List<DType> dtypes() {
        return List.of(DType.BF16);
    }

    /** An update of Muon has a fifth of the size of the learning rate. */
    @Override
    public double learningRate() {
        return 0.05;
    }
}
