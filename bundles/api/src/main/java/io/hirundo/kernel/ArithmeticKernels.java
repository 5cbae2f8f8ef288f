package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Elementwise arithmetic, of which optimizers compose their updates. Tensors of a call have as many elements and one dtype: FP64, FP32
 * or BF16. FP32 and BF16 are computed in FP32 at least, and each result is rounded once. An element's result depends on the elements at
 * its index alone, so that shards of a tensor compute the bits of the complete tensor.
 */
@ConsumerType
public interface ArithmeticKernels {
    /**
     * A factor that is known when the kernel runs.
     *
     * @param value known to the host
     * @param scalar1 FP64 scalar on the device that multiplies the value, such as the clipping coefficient of gradients; lent
     */
    record Factor(double value, Optional<Tensor> scalar1) {
        public Factor {
            if (scalar1.isPresent()
                    && (scalar1.get().dtype() != DType.FP64 || scalar1.get().elements() != 1)) {
                throw new IllegalArgumentException("scalar1 is " + scalar1.get().shape() + " "
                        + scalar1.get().dtype() + " (allowed: one FP64 element)");
            }
        }

        public static Factor of(double value) {
            return new Factor(value, Optional.empty());
        }

        /** {@code value} times a scalar on the device. */
        public static Factor of(double value, Tensor scalar1) {
            return new Factor(value, Optional.of(scalar1));
        }
    }

    /**
     * {@code y = a x + b y}.
     *
     * @param xN read only
     * @param b if 0, the old values of y are not read, so that they may be undefined
     */
    void axpby(Queue queue, Factor a, Tensor xN, double b, Tensor yN);

    /** {@code y *= x}. Both may be the same tensor: its squares. */
    void multiply(Queue queue, Tensor xN, Tensor yN);

    /** {@code y /= x + epsilon}. */
    void divide(Queue queue, Tensor xN, double epsilon, Tensor yN);

    /** {@code x = sqrt(x)}; NaN for negative values. */
    void squareRoot(Queue queue, Tensor xN);

    /** {@code x = 1} of positive, {@code -1} of negative values. Zeros keep their sign, and NaNs propagate. */
    void sign(Queue queue, Tensor xN);
}
