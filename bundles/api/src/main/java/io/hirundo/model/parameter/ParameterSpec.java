package io.hirundo.model.parameter;

import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * A parameter as one rank holds it.
 *
 * @param name unique in the model; layers that use the same name share the parameter, as tied embeddings do
 * @param parts stacked along dimension 0
 * @param initialization initial values if it is not loaded
 * @param isTable whether a layer of the model looks up its rows, as an embedding does ({@link io.hirundo.model.WeightSpec.Use#TABLE}); the same
 *     on all ranks, also where an output projection on another pipeline stage shares it
 */
public record ParameterSpec(String name, List<ParameterPart> parts, Initialization initialization, boolean isTable) {
  public ParameterSpec {
    parts = List.copyOf(parts);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("parameter " + name + " has no parts");
    }
  }

  /** A parameter whose rows no layer looks up. */
  public ParameterSpec(String name, List<ParameterPart> parts, Initialization initialization) {
    this(name, parts, initialization, false);
  }

  /** The same parameter of other parts. */
  public ParameterSpec with(List<ParameterPart> other) {
    return new ParameterSpec(name, other, initialization, isTable);
  }

  /** The same parameter, of which it is known that a layer looks up its rows. */
  public ParameterSpec asTable() {
    return new ParameterSpec(name, parts, initialization, true);
  }

  /** Shape of the parameter: the parts stacked along dimension 0. */
  public Shape shape() {
    long first = parts.stream().mapToLong(part -> part.shape().dim(0)).sum();
    var dims = new java.util.ArrayList<>(parts.getFirst().shape().dims());
    dims.set(0, first);
    return new Shape(dims);
  }

  /** Weight decay applies to matrices, not to vectors. */
  public boolean isMatrix() {
    return parts.getFirst().shape().rank() >= 2;
  }
}
