package io.hirundo.model.parameter;

import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * A parameter as one rank holds it.
 *
 * @param name unique in the model; layers that use the same name share the parameter, as tied embeddings do
 * @param parts stacked along dimension 0
 * @param initialization initial values if it is not loaded
 */
public record ParameterSpec(String name, List<ParameterPart> parts, Initialization initialization) {
    public ParameterSpec {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("parameter " + name + " has no parts");
        }
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
