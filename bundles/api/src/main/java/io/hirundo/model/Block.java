package io.hirundo.model;

import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A block of a running model: the unit of activation recomputation and of pipeline stages. The backward has two halves, because
 * zero-bubble schedules (Qi et al. 2023, arXiv 2401.10241) run the second one later.
 *
 * <p>The caller owns the block's input and output, and keeps the input until {@link #backwardWeight} returns.
 */
@ConsumerType
public interface Block {
    List<Parameter> parameters();

    /**
     * Computes the block.
     *
     * @param xTC output of the previous block; null for the first block
     * @param saved receives activations for the backward; null if there is no backward
     * @return the output, owned by the caller; null for the last block, which adds to the loss instead
     */
    Tensor forward(StepContext context, Tensor xTC, Saved saved);

    /**
     * First half of the backward.
     *
     * @param dyTC gradient of the output; the block takes ownership and closes it; null for the last block
     * @return gradient of {@code xTC}, owned by the caller; null for the first block
     */
    Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved);

    /** Second half: accumulates the gradients of all parameters and empties {@code saved}. */
    void backwardWeight(StepContext context, Tensor xTC, Saved saved);

    /** Both halves at once, bitwise the same. Saves less between the halves, and lets parallel layers overlap their collectives. */
    default Tensor backward(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
        Tensor dxTC = backwardInput(context, xTC, dyTC, saved);
        backwardWeight(context, xTC, saved);
        return dxTC;
    }

    /**
     * Whether one of the backward methods reads {@link Parameter#value}. If not, sharded weights are not gathered for it, as a token embedding allows;
     * such a block is never recomputed.
     */
    default boolean backwardReadsParameters() {
        return true;
    }

    /** Logits of {@code xTC}; last block only. The caller owns the result. */
    default Tensor logits(StepContext context, Tensor xTC) {
        throw new IllegalStateException("logits: only the last block of a model computes them");
    }
}
