package __package__;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;

/**
 * A kernel family: squared ReLU (So et al. 2021, arXiv 2109.08668). Layers find it with {@code
 * scope.device().kernels().find(__Name__Kernels.class)}. Tensors of a call have as many elements and one dtype: FP64, FP32 or BF16.
 */
public interface __Name__Kernels {
    /** {@code y = max(x, 0)^2}. */
    void forward(Queue queue, Tensor x, Tensor y);

    /** {@code dx = 2 max(x, 0) dy}. */
    void backward(Queue queue, Tensor x, Tensor dy, Tensor dx);
}
