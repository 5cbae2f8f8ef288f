package io.hirundo.model;

import java.util.List;

/**
 * Weights that form one operand of GEMMs: [outputs, inputs], row after row.
 *
 * @param name unique in the model; the path of a single weight
 * @param weights of use {@link WeightSpec.Use#MATRIX} with the same inputs
 */
public record MatrixSpec(String name, List<WeightSpec> weights) {
  public MatrixSpec {
    weights = List.copyOf(weights);
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
