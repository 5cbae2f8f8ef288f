package io.hirundo.model.layer;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** A vector that is added to each row. The gradient of its input is the gradient of its output. */
@ConsumerType
public interface BiasLayer extends Layer {
    /** Adds the vector to each row, in place. */
    void forward(StepContext context, Tensor xTN);

    /** Accumulates the gradient of the vector: the sum over rows. */
    void backwardWeight(StepContext context, Tensor dyTN);
}
