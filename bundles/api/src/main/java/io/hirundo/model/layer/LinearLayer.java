package io.hirundo.model.layer;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** {@code y = x wᵀ}. */
@ConsumerType
public interface LinearLayer extends Layer {
    Tensor forward(StepContext context, Tensor xTK);

    Tensor backwardInput(StepContext context, Tensor dyTN);

    void backwardWeight(StepContext context, Tensor dyTN, Tensor xTK);

    /** Both halves of the backward at once, bitwise the same; lets a parallel layer overlap its collectives. */
    default Tensor backward(StepContext context, Tensor dyTN, Tensor xTK) {
        Tensor dxTK = backwardInput(context, dyTN);
        backwardWeight(context, dyTN, xTK);
        return dxTK;
    }
}
