package io.hirundo.model.layer;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Output projection and cross-entropy in chunks of tokens, so that the logits of a whole microbatch never exist at once. The
 * backward runs with the forward, chunk by chunk.
 */
@ConsumerType
public interface LossHeadLayer extends Layer {
    /** Adds the microbatch's loss to {@code context.lossSum()}. */
    void forward(StepContext context, Tensor hTC);

    /** Like {@link #forward}; also accumulates the weight gradient and returns the gradient of {@code hTC}. */
    Tensor forwardBackward(StepContext context, Tensor hTC);

    /** Logits of the given rows, for generation. */
    Tensor logits(StepContext context, Tensor hTC);
}
