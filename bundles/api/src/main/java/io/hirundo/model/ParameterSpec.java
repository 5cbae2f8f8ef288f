package io.hirundo.model;

import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * A parameter as one rank holds it.
 *
 * @param name unique in the model; layers that name the same parameter share it, as tied embeddings do
 * @param parts what it holds, row after row
 * @param initialization how it begins, where it is not loaded
 */
public record ParameterSpec(String name, List<ParameterPart> parts, Initialization initialization) {
  public ParameterSpec {
    parts = List.copyOf(parts);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("parameter " + name + " has no parts");
    }
  }

  /** Extents of the parameter: the parts stacked along their first dimension. */
  public Shape shape() {
    long first = parts.stream().mapToLong(part -> part.shape().dim(0)).sum();
    var dims = new java.util.ArrayList<>(parts.getFirst().shape().dims());
    dims.set(0, first);
    return new Shape(dims);
  }

  /** Matrices decay, vectors do not. */
  public boolean isMatrix() {
    return parts.getFirst().shape().rank() >= 2;
  }
}
