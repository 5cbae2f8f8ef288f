package io.hirundo.model.layer;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** RMSNorm, optionally fused with the residual add before it. */
@ConsumerType
public interface NormLayer extends Layer {
    /**
     * Result of the forward.
     *
     * @param yTC normalized activations
     * @param inverseRmsT saved for the backward
     */
    record Normalized(Tensor yTC, Tensor inverseRmsT) {}

    Normalized forward(StepContext context, Tensor xTC);

    /** {@link #forward} of {@code x + delta}; writes the sum to {@code deltaTC}. */
    Normalized addForward(StepContext context, Tensor xTC, Tensor deltaTC);

    /** Recomputes {@code y}, bitwise equal to the forward's. */
    Tensor reapply(StepContext context, Tensor xTC, Tensor inverseRmsT);

    /**
     * The gradient of the norm's input.
     *
     * @param residualGradientTC gradient of the residual connection, which is added; or null
     */
    Tensor backwardInput(StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor residualGradientTC);

    void backwardWeight(StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT);
}
