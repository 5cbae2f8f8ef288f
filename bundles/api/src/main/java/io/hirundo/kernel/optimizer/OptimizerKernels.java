package io.hirundo.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Kernels of the optimizer step. Tensors with suffix {@code 1} are FP64 scalars on the device, so that no step waits for the
 * host.
 */
@ConsumerType
public interface OptimizerKernels {
    /** {@code sum += sum of x²}, in blocks of a fixed size, in a fixed order. */
    void addSumOfSquares(Queue queue, Tensor x, Tensor sum1);

    /**
     * The same for each tensor in turn, bitwise: a sum does not depend on which tensors share a call. Devices override it to launch
     * one kernel for all.
     */
    default void addSumOfSquares(Queue queue, List<Tensor> x, Tensor sum1) {
        x.forEach(each -> addSumOfSquares(queue, each, sum1));
    }

    /**
     * {@code norm = sqrt(sum)}; {@code coefficient = min(1, maximumNorm / (norm + 1e-6))}, as in PyTorch's {@code clip_grad_norm_}.
     *
     * @param maximumNorm infinity disables clipping
     */
    void clipCoefficient(Queue queue, Tensor sumOfSquares1, double maximumNorm, Tensor norm1, Tensor coefficient1);

    /**
     * AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101), with g the gradient times {@code gradientCoefficient1}:
     * {@code p *= 1 - lr wd; m = b1 m + (1-b1) g; v = b2 v + (1-b2) g²; p -= lr/(1-b1^t) m / (sqrt(v)/sqrt(1-b2^t) + eps)}.
     */
    void adamW(
            Queue queue,
            AdamWCoefficients coefficients,
            Tensor gradientCoefficient1,
            Tensor gradientN,
            Tensor parameterN,
            Tensor firstMomentN,
            Tensor secondMomentN);

    /**
     * The tensors of one AdamW update: same number of elements, same floating dtype.
     *
     * @param gradientN read only
     * @param parameterN updated in place, as are both moments
     */
    record AdamWOperands(Tensor gradientN, Tensor parameterN, Tensor firstMomentN, Tensor secondMomentN) {}

    /** The same update for each, bitwise. Devices override it to launch one kernel for all. */
    default void adamW(
            Queue queue, AdamWCoefficients coefficients, Tensor gradientCoefficient1, List<AdamWOperands> operands) {
        for (AdamWOperands each : operands) {
            adamW(
                    queue,
                    coefficients,
                    gradientCoefficient1,
                    each.gradientN(),
                    each.parameterN(),
                    each.firstMomentN(),
                    each.secondMomentN());
        }
    }
}
