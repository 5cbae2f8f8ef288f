package io.hirundo.lib.transformer.block;

import io.hirundo.model.layer.BiasLayer;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.stream.Stream;

/**
 * A linear layer, and its bias if it has one.
 *
 * @param bias or null
 */
record Biased(LinearLayer linear, BiasLayer bias) {
    Stream<Layer> layers() {
        return bias == null ? Stream.of(linear) : Stream.of(linear, bias);
    }

    Tensor forward(StepContext context, Tensor xTK) {
        Tensor yTN = linear.forward(context, xTK);
        if (bias != null) {
            bias.forward(context, yTN);
        }
        return yTN;
    }

    Tensor backwardInput(StepContext context, Tensor dyTN) {
        return linear.backwardInput(context, dyTN);
    }

    void backwardWeight(StepContext context, Tensor dyTN, Tensor xTK) {
        linear.backwardWeight(context, dyTN, xTK);
        backwardBias(context, dyTN);
    }

    /** Both halves, bitwise the same. */
    Tensor backward(StepContext context, Tensor dyTN, Tensor xTK) {
        Tensor dxTK = linear.backward(context, dyTN, xTK);
        backwardBias(context, dyTN);
        return dxTK;
    }

    private void backwardBias(StepContext context, Tensor dyTN) {
        if (bias != null) {
            bias.backwardWeight(context, dyTN);
        }
    }
}
