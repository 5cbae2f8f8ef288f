package io.hirundo.checkpoint;

import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A piece of one tensor of the training state, as one rank holds it.
 *
 * @param key {@code model/model.norm.weight} or {@code optimizer/exp_avg/model.norm.weight} for instance
 * @param globalShape extents of the whole tensor
 * @param offset where the piece begins, one entry per dimension
 * @param local the piece, lent; its shape is the piece's extents
 * @param replica 0 for the copy that is written, more for copies of the same piece on other ranks
 */
public record StateShard(String key, Shape globalShape, List<Long> offset, Tensor local, int replica) {
  public StateShard {
    offset = List.copyOf(offset);
  }
}
