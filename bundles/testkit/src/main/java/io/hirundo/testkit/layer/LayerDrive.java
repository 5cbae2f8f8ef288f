package io.hirundo.testkit.layer;

import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * Calls the layers of a kind as a block does. Tensors that are passed in belong to the caller and must not change; the caller closes those that are
 * returned. All have the shape [rows, channels] of this rank.
 *
 * @param <L> the running layer
 */
public interface LayerDrive<L extends Layer> {
    /** What a training pass makes: outputs, then gradients of inputs, each in the order of the spec. */
    record Passed(List<Tensor> outputs, List<Tensor> inputGradients) {}

    /** The outputs alone, as in evaluation. Saves nothing. A layer without outputs adds to {@code context.lossSum()}. */
    List<Tensor> forward(L layer, StepContext context, List<Tensor> inputs);

    /** Logits of all tokens of the microbatch, [T, V]; the caller closes them. Empty for a layer that makes none. */
    default Optional<Tensor> logits(L layer, StepContext context, List<Tensor> inputs) {
        return Optional.empty();
    }

    /** Forward and backward; accumulates the gradients of weights. */
    Passed train(L layer, StepContext context, List<Tensor> inputs, List<Tensor> outputGradients);
}
