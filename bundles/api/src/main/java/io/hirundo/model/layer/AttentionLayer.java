package io.hirundo.model.layer;

import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Causal attention between the QKV projection and the output projection. */
@ConsumerType
public interface AttentionLayer extends Layer {
    /**
     * Result of the forward; all of it is saved for the backward.
     *
     * @param heads rotated queries and keys, and values
     * @param outputTHD attention output of all heads
     * @param logSumExpBHS log-sum-exp of the scores of each query
     */
    record Attended(QueryKeyValue heads, Tensor outputTHD, Tensor logSumExpBHS) {}

    Attended forward(StepContext context, Tensor qkvTE);

    /** Returns the gradient of {@code qkvTE}. */
    Tensor backwardInput(StepContext context, Tensor outputGradientTHD, Attended forward);
}
