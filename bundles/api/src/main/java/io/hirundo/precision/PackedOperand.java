package io.hirundo.precision;

import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * An operand as it travels between ranks in place of its values. Its outermost dimension counts pieces, each of them the rows of
 * one rank; what else it means is the business of what packed it. Whoever allocated it closes it.
 *
 * @param tensors [pieces, ...] each, to be sent as they are
 */
public record PackedOperand(List<Tensor> tensors) implements AutoCloseable {
  public PackedOperand {
    tensors = List.copyOf(tensors);
  }

  public int pieces() {
    return Math.toIntExact(tensors.getFirst().shape().dim(0));
  }

  /** A single piece, which shares the memory. */
  public PackedOperand piece(int index) {
    return new PackedOperand(tensors.stream().map(tensor -> tensor.rows(index, 1)).toList());
  }

  @Override
  public void close() {
    tensors.forEach(Tensor::close);
  }
}
