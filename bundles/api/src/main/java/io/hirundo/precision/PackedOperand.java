package io.hirundo.precision;

import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * An operand in the form in which it travels between ranks. The outermost dimension counts pieces; each piece holds the rows of
 * one rank. The layout inside a piece is private to whoever packed it. Whoever allocated it closes it.
 *
 * @param tensors [pieces, ...] each, sent unchanged
 */
public record PackedOperand(List<Tensor> tensors) implements AutoCloseable {
    public PackedOperand {
        tensors = List.copyOf(tensors);
    }

    public int pieces() {
        return Math.toIntExact(tensors.getFirst().shape().dim(0));
    }

    /** A view of one piece. */
    public PackedOperand piece(int index) {
        return new PackedOperand(
                tensors.stream().map(tensor -> tensor.rows(index, 1)).toList());
    }

    @Override
    public void close() {
        tensors.forEach(Tensor::close);
    }
}
