package io.hirundo.lib.family;

import io.hirundo.family.StoredTensor;
import io.hirundo.model.ModelSpec;
import io.hirundo.tensor.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tensors of a format that has a tensor for each parameter, under its published name and in its shape. */
public final class PublishedTensors {
    private PublishedTensors() {}

    /** Each parameter once, in the order of the layers: a tied head is stored as the embedding. */
    public static List<StoredTensor> of(ModelSpec model) {
        var shapes = new LinkedHashMap<String, Shape>();
        for (var block : model.blocks()) {
            for (var layer : block.layers()) {
                layer.weights().forEach(weight -> shapes.putIfAbsent(weight.path(), weight.globalShape()));
            }
        }
        return shapes.entrySet().stream().map(PublishedTensors::stored).toList();
    }

    private static StoredTensor stored(Map.Entry<String, Shape> parameter) {
        return StoredTensor.of(parameter.getKey(), parameter.getKey(), parameter.getValue());
    }
}
