package io.hirundo.model;

import io.hirundo.model.parameter.Initialization;
import java.util.List;

/** The weights of the kinds in {@link LayerSpec}. */
final class LayerWeights {
    private LayerWeights() {}

    /** [V, C]. */
    static WeightSpec of(LayerSpec.Embedding layer) {
        var shape = List.of(List.of(Dims.vocabulary(layer.vocabulary())), List.of(Dims.hidden(layer.hidden())));
        return new WeightSpec(
                layer.path(), shape, Activation.residual(layer.hidden()), WeightSpec.Use.TABLE, layer.initialization());
    }

    /** [N, K] of a part. */
    static WeightSpec of(LayerSpec.Linear layer, LayerSpec.LinearPart part) {
        var on = new Activation(layer.outputRows(), List.of(part.rows()));
        var shape = List.of(part.rows(), layer.input().sections().getFirst());
        return new WeightSpec(part.path(), shape, on, WeightSpec.Use.MATRIX, layer.initialization());
    }

    /** [N] of a section. */
    static WeightSpec of(LayerSpec.Bias layer, int section) {
        var shape = List.of(layer.on().sections().get(section));
        return new WeightSpec(
                layer.paths().get(section),
                shape,
                layer.on().section(section),
                WeightSpec.Use.VECTOR,
                Initialization.ZEROS);
    }

    /** [C]. A new layer scales by 1. */
    static WeightSpec of(LayerSpec.Norm layer) {
        var initialization = new Initialization(1 - layer.weightOffset(), 0);
        return new WeightSpec(
                layer.path(), List.of(List.of(layer.channels())), layer.on(), WeightSpec.Use.VECTOR, initialization);
    }

    /** [V, C]. */
    static WeightSpec of(LayerSpec.LossHead layer) {
        var shape = List.of(List.of(Dims.vocabulary(layer.vocabulary())), List.of(Dims.hidden(layer.hidden())));
        return new WeightSpec(
                layer.path(), shape, layer.internals().getFirst(), WeightSpec.Use.MATRIX, layer.initialization());
    }
}
