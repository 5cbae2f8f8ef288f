package io.hirundo.lib.golden;

import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.tensor.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.TreeMap;

/** A stored tensor, widened to FP64, row-major. */
public record GoldenTensor(Shape shape, double[] values) {
    /** Tensors of a model that nobody saved, by name: uniform in -0.5 to 0.5, so that norms and biases have an effect as well. */
    public static SequencedMap<String, GoldenTensor> random(List<StoredTensor> tensors, long seed) {
        var random = new Random(seed);
        var weights = new TreeMap<String, GoldenTensor>();
        for (StoredTensor tensor : tensors) {
            weights.put(
                    tensor.name(),
                    new GoldenTensor(
                            tensor.shape(),
                            random.doubles(tensor.shape().elements(), -0.5, 0.5).toArray()));
        }
        return weights;
    }

    /** What a family's reference reads. */
    public static StoredValues stored(Map<String, GoldenTensor> weights) {
        return (name, first, count) -> {
            GoldenTensor tensor = weights.get(name);
            int row = Math.toIntExact(tensor.shape().elements() / tensor.shape().dim(0));
            return Arrays.copyOfRange(tensor.values(), (int) first * row, ((int) first + count) * row);
        };
    }
}
