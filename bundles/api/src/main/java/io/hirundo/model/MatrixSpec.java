package io.hirundo.model;

import java.util.List;

/**
 * Weights that form one operand of GEMMs: [outputs, inputs], row after row.
 *
 * @param name unique in the model; the path of a single weight
 * @param weights of use {@link WeightSpec.Use#MATRIX}, with the same inputs and the same initialization
 */
public record MatrixSpec(String name, List<WeightSpec> weights) {
    /**
     * @throws IllegalArgumentException if the weights cannot be stacked
     */
    public MatrixSpec {
        weights = List.copyOf(weights);
        if (weights.isEmpty()) {
            throw new IllegalArgumentException("matrix " + name + " has no weights");
        }
        WeightSpec first = weights.getFirst();
        for (WeightSpec weight : weights) {
            if (weight.use() != WeightSpec.Use.MATRIX) {
                throw new IllegalArgumentException("matrix " + name + ": weight " + weight.path() + " has use "
                        + weight.use() + " (allowed: MATRIX)");
            }
            same(
                    name,
                    "inputs",
                    first,
                    first.shape().get(1),
                    weight,
                    weight.shape().get(1));
            same(name, "initialization", first, first.initialization(), weight, weight.initialization());
        }
    }

    private static void same(
            String name, String what, WeightSpec first, Object ofFirst, WeightSpec weight, Object ofWeight) {
        if (!ofWeight.equals(ofFirst)) {
            throw new IllegalArgumentException(
                    "matrix " + name + " stacks weights with the same " + what + ", but " + weight.path() + " has "
                            + ofWeight + ", " + first.path() + " has " + ofFirst + "; declare a matrix for each");
        }
    }

    /** A matrix that is one weight. */
    public static MatrixSpec of(WeightSpec weight) {
        return new MatrixSpec(weight.path(), List.of(weight));
    }

    /** N over all weights and ranks. */
    public long outputs() {
        return weights.stream().mapToLong(weight -> weight.globalShape().dim(0)).sum();
    }

    /** K over all ranks. */
    public long inputs() {
        return weights.getFirst().globalShape().dim(1);
    }
}
