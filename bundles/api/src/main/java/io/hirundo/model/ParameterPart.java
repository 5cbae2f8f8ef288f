package io.hirundo.model;

import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Rows of a parameter that are, or are a shard of, one tensor of the published model. Fused parameters (QKV, gate and up)
 * have several parts, one below the other.
 *
 * @param path the tensor's Hugging Face name, {@code model.layers.0.self_attn.q_proj.weight} for instance
 * @param globalShape the whole tensor's shape
 * @param offset where this part begins in the whole tensor, one entry per dimension
 * @param shape this part's extents; equal to {@code globalShape} where nothing is split
 * @param replicas who else holds it
 */
public record ParameterPart(String path, Shape globalShape, List<Long> offset, Shape shape, Replicas replicas) {
  public ParameterPart {
    offset = List.copyOf(offset);
    for (int dim = 0; dim < globalShape.rank(); dim++) {
      if (offset.get(dim) < 0 || offset.get(dim) + shape.dim(dim) > globalShape.dim(dim)) {
        throw new IllegalArgumentException(
            "part " + shape + " at " + offset + " does not lie in " + path + " " + globalShape);
      }
    }
  }

  /** A part that no other rank holds. */
  public ParameterPart(String path, Shape globalShape, List<Long> offset, Shape shape) {
    this(path, globalShape, offset, shape, Replicas.NONE);
  }

  /** A part that is the whole tensor. */
  public static ParameterPart whole(String path, Shape shape) {
    return new ParameterPart(path, shape, Collections.nCopies(shape.rank(), 0L), shape);
  }

  /**
   * A stretch of this part along one dimension.
   *
   * @param first where it begins in this part
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
