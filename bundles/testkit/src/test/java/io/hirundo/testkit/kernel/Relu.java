package io.hirundo.testkit.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;

/** A family that no device has: {@code y = max(x, 0)}. Tensors of a call have as many elements and one dtype. */
interface Relu {
    void forward(Queue queue, Tensor x, Tensor y);

    /** {@code dx = dy} where x is positive, else 0. */
    void backward(Queue queue, Tensor x, Tensor dy, Tensor dx);

    /** {@code sum[0] = sum of x}. */
    void sum(Queue queue, Tensor x, Tensor sum1);
}
