package io.hirundo.model;

import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * Rows of a parameter that are, or are a shard of, one tensor of the published model. Fused parameters (QKV, gate and up)
 * have several parts, one below the other.
 *
 * @param path the tensor's Hugging Face name, {@code model.layers.0.self_attn.q_proj.weight} for instance
 * @param globalShape the whole tensor's shape
 * @param offset where this part begins in the whole tensor, one entry per dimension
 * @param shape this part's extents; equal to {@code globalShape} where nothing is split
 */
public record ParameterPart(String path, Shape globalShape, List<Long> offset, Shape shape) {
  public ParameterPart {
    offset = List.copyOf(offset);
  }

  /** A part that is the whole tensor. */
  public static ParameterPart whole(String path, Shape shape) {
    return new ParameterPart(path, shape, java.util.Collections.nCopies(shape.rank(), 0L), shape);
  }
}
