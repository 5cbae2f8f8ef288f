package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Matrices of 8-bit values with one scale for all, {@link ScaleBlock#MATRIX}, which follows from a magnitude that the caller
 * gives: that of the matrix, or of those before it. Scale and codes follow from it as {@link BlockScaledKernels} says; what is
 * larger saturates. Products are those of {@link BlockScaledKernels#multiplyNT}.
 */
@ConsumerType
public interface MatrixScaledKernels {
  /**
   * {@code amax = max(accumulate ? amax : 0, |x|)}. What is infinite or not a number does not count.
   *
   * @param x FP32 or BF16, of any shape
   * @param amax1 FP32
   */
  void maximum(Queue queue, Tensor x, Tensor amax1, boolean accumulate);

  /** Quantizes an FP32 or BF16 matrix with the scale of {@code amax1}, which is FP32. */
  void quantize(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix rowsMK);

  /** Quantizes the transpose of an FP32 or BF16 matrix with the scale of {@code amax1}, which is FP32. */
  void quantizeTransposed(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix columnsKM);
}
