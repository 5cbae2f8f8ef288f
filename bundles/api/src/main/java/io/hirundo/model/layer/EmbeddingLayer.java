package io.hirundo.model.layer;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Token embedding of the microbatch's tokens. */
@ConsumerType
public interface EmbeddingLayer extends Layer {
    Tensor forward(StepContext context);

    void backwardWeight(StepContext context, Tensor dyTC);
}
