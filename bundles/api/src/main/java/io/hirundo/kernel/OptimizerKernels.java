package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Kernels of the optimizer step. {@code 1}-tensors are FP64 scalars that stay on the device, so that no step waits for the host. */
@ConsumerType
public interface OptimizerKernels {
  /** {@code sum += sum of x²}, in blocks of a fixed size, in order. */
  void addSumOfSquares(Queue queue, Tensor x, Tensor sum1);

  /**
   * {@code norm = sqrt(sum)}; {@code coefficient = min(1, maximumNorm / (norm + 1e-6))}, as PyTorch clips.
   *
   * @param maximumNorm infinity for no clipping
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
}
