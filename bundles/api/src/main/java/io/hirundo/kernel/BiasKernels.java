package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Biases of rows. A bias covers some columns of a matrix, because a fused row, QKV for instance, has a bias for each of its sections. With
 * BF16 activations the bias and its gradient may be FP32.
 */
@ConsumerType
public interface BiasKernels {
    /**
     * {@code x[t, firstColumn + n] += bias[n]} for each row.
     *
     * @param xTM all dimensions but the last are rows; its other columns stay as they are
     */
    void add(Queue queue, Tensor biasN, Tensor xTM, long firstColumn);

    /** {@code dBias[n] += sum over rows of dy[t, firstColumn + n]}. */
    void addColumnSums(Queue queue, Tensor dyTM, long firstColumn, Tensor dBiasN);
}
