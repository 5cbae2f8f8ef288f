package io.hirundo.lib.transformer.block;

import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.stream.Stream;

/**
 * The projection of a half of a block into the residual stream, and the norm of its output if it has one (Gemma Team 2024, arXiv
 * 2408.00118).
 *
 * @param norm or null
 * @param name of what it saves
 */
record Output(Biased projection, NormLayer norm, String name) {
    Stream<Layer> layers() {
        return norm == null ? projection.layers() : Stream.concat(projection.layers(), Stream.of(norm));
    }

    /** What is added to the residual stream; the caller closes it. */
    Tensor forward(StepContext context, Tensor xTK, Saved saved) {
        Tensor projectedTC = projection.forward(context, xTK);
        if (norm == null) {
            return projectedTC;
        }
        NormLayer.Normalized normalized = norm.forward(context, projectedTC);
        SavedActivations.save(saved, projected(), projectedTC);
        SavedActivations.save(saved, inverseRms(), normalized.inverseRmsT());
        return normalized.yTC();
    }

    Tensor backwardInput(StepContext context, Tensor dyTC, Saved saved) {
        if (norm == null) {
            return projection.backwardInput(context, dyTC);
        }
        saved.put(gradient(), norm.backwardInput(context, dyTC, saved.get(projected()), saved.get(inverseRms()), null));
        return projection.backwardInput(context, saved.get(gradient()));
    }

    void backwardWeight(StepContext context, Tensor dyTC, Tensor xTK, Saved saved) {
        if (norm == null) {
            projection.backwardWeight(context, dyTC, xTK);
            return;
        }
        projection.backwardWeight(context, saved.get(gradient()), xTK);
        saved.drop(gradient());
        backwardNorm(context, dyTC, saved);
    }

    /** Both halves, bitwise the same. */
    Tensor backward(StepContext context, Tensor dyTC, Tensor xTK, Saved saved) {
        if (norm == null) {
            return projection.backward(context, dyTC, xTK);
        }
        try (Tensor dProjectedTC =
                norm.backwardInput(context, dyTC, saved.get(projected()), saved.get(inverseRms()), null)) {
            backwardNorm(context, dyTC, saved);
            return projection.backward(context, dProjectedTC, xTK);
        }
    }

    private void backwardNorm(StepContext context, Tensor dyTC, Saved saved) {
        norm.backwardWeight(context, dyTC, saved.get(projected()), saved.get(inverseRms()));
        saved.drop(projected());
        saved.drop(inverseRms());
    }

    private String projected() {
        return name + ".projected";
    }

    private String inverseRms() {
        return name + ".inverse_rms";
    }

    private String gradient() {
        return name + ".projected.gradient";
    }
}
