package io.hirundo.paralleltp.internal.residual;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;

/** Something whose rows depend on the same rows of its operand only, so that it can be made in parts; of rows in the form T. */
@FunctionalInterface
public interface RowGemm<T> {
    void multiply(Queue queue, T in, Tensor out);
}
