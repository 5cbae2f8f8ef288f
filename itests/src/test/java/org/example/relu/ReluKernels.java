package org.example.relu;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;

/** {@code y = max(x, 0)}. Tensors of a call have as many elements and one dtype. */
public interface ReluKernels {
    void forward(Queue queue, Tensor x, Tensor y);

    /** {@code dx = dy} where x is positive, else 0. */
    void backward(Queue queue, Tensor x, Tensor dy, Tensor dx);
}
