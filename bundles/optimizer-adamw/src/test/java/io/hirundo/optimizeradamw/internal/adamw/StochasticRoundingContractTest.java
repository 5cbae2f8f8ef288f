package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.OptimizerContract;
import java.util.List;

/** BF16 weights that are rounded stochastically, those of whole blocks with moments in 8 bits. */
@HirundoContract
class StochasticRoundingContractTest implements OptimizerContract {
    @Override
    public Optimizer optimizer() {
        return new AdamWFactory().create(new AdamWOptions(0.9, 0.95, 1e-8, 0.1, true));
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
}
