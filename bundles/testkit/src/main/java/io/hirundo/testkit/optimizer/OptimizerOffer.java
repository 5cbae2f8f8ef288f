package io.hirundo.testkit.optimizer;

import io.hirundo.optimizer.Optimizer;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.OnDevice;
import java.util.List;

/** What is under test. */
public interface OptimizerOffer extends OnDevice {
    /** A new optimizer, always with the same options. */
    Optimizer optimizer();

    /** A learning rate with which a well-conditioned loss of weights between -1 and 1 falls by half within 60 steps. */
    default double learningRate() {
        return 0.02;
    }

    /** Dtype of the weights in all clauses that do not name another. */
    default DType weightType() {
        return DType.FP32;
    }

    /** Dtypes of weights that the optimizer updates. */
    default List<DType> dtypes() {
        return List.of(DType.FP32, DType.FP64);
    }
}
