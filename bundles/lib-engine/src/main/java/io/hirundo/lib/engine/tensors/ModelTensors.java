package io.hirundo.lib.engine.tensors;

import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** The tensors of a model under their published names, each once, in the order of its blocks. */
public final class ModelTensors {
    private ModelTensors() {}

    public static SequencedMap<String, Shape> of(ModelSpec model) {
        return of(model.blocks());
    }

    /** The tensors as exported, all of one data type. */
    public static List<ModelTensor> of(ModelSpec model, DType dtype) {
        return of(model).entrySet().stream()
                .map(tensor -> new ModelTensor(tensor.getKey(), tensor.getValue(), dtype))
                .toList();
    }

    /** Total number of elements. */
    public static long parameters(ModelSpec model) {
        return of(model).values().stream().mapToLong(Shape::elements).sum();
    }

    public static SequencedMap<String, Shape> of(List<BlockSpec> blocks) {
        var shapes = new LinkedHashMap<String, Shape>();
        for (BlockSpec block : blocks) {
            for (LayerSpec<?> layer : block.layers()) {
                layer.weights().forEach(weight -> shapes.put(weight.path(), weight.globalShape()));
            }
        }
        return shapes;
    }
}
