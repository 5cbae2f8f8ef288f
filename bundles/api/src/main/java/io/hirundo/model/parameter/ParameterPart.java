package io.hirundo.model.parameter;

import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Rows of a parameter that are one tensor of the published model, or a shard of it. Fused parameters (QKV, gate and up) have
 * several parts, stacked along dimension 0.
 *
 * @param path published name of the tensor, for instance {@code model.layers.0.self_attn.q_proj.weight}
 * @param globalShape shape of the unsharded tensor
 * @param offset of this part in the unsharded tensor, one entry per dimension
 * @param shape of this part; equals {@code globalShape} if unsharded
 * @param replicas the ranks that hold the same part
 */
public record ParameterPart(String path, Shape globalShape, List<Long> offset, Shape shape, Replicas replicas) {
    public ParameterPart {
        offset = List.copyOf(offset);
        for (int dim = 0; dim < globalShape.rank(); dim++) {
            if (offset.get(dim) < 0 || offset.get(dim) + shape.dim(dim) > globalShape.dim(dim)) {
                throw new IllegalArgumentException(
                        "part " + shape + " at " + offset + " is not inside " + path + " " + globalShape);
            }
        }
    }

    /** A part without replicas. */
    public ParameterPart(String path, Shape globalShape, List<Long> offset, Shape shape) {
        this(path, globalShape, offset, shape, Replicas.NONE);
    }

    /** A part that is the whole tensor. */
    public static ParameterPart whole(String path, Shape shape) {
        return new ParameterPart(path, shape, Collections.nCopies(shape.rank(), 0L), shape);
    }

    /**
     * A slice of this part along one dimension.
     *
     * @param first offset in this part
     */
    public ParameterPart narrow(int dim, long first, long count) {
        var offsets = new ArrayList<>(offset);
        offsets.set(dim, offset.get(dim) + first);
        var dims = new ArrayList<>(shape.dims());
        dims.set(dim, count);
        return new ParameterPart(path, globalShape, offsets, new Shape(dims), replicas);
    }

    public ParameterPart with(Replicas other) {
        return new ParameterPart(path, globalShape, offset, shape, other);
    }
}
