package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Matrices of 8-bit values whose blocks have scales, and their products (DeepSeek-AI 2024, arXiv 2412.19437; the arithmetic is
 * that of NVIDIA's Transformer Engine).
 *
 * <p>The scale of a block whose largest magnitude is {@code amax}, where what is not a number does not count, is 1 if that is 0
 * or infinite; else {@code s = max / amax} in FP32, max being the largest value of the 8-bit type; an infinite s becomes the
 * largest finite value of the type of x; {@link ScaleRule#POWER_OF_TWO} then drops the mantissa. The code is that of {@code x s},
 * rounded to FP32, then to nearest even, saturating; what is not a number becomes {@code 0x7f}. Kept is {@code 1 / s} in FP32.
 * Nothing is flushed to zero.
 */
@ConsumerType
public interface BlockScaledKernels {
  /** Quantizes an FP32 or BF16 matrix, with scales for {@link ScaleBlock#ROW} or {@link ScaleBlock#SQUARE}. */
  void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK);

  /** Quantizes the transpose of an FP32 or BF16 matrix, as {@link #quantize}. */
  void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM);

  /**
   * Quantizes a matrix and its transpose, with the bits of {@link #quantize} and {@link #quantizeTransposed}, which this calls; a
   * device that reads the matrix only once has it otherwise.
   */
  default void quantizeBoth(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
    quantize(queue, xMK, rule, rowsMK);
    quantizeTransposed(queue, xMK, rule, columnsKM);
  }

  /**
   * {@code c[M,N] = (accumulate ? c : 0) + a b^T}: for every 128 of K a sum of products of codes in FP32, then {@code
   * y = fma(sum sa, sb, y)} with the inverse scales of a and b; c is rounded once.
   *
   * @param aMK with scales for {@link ScaleBlock#ROW}, or where there are {@link MatrixScaledKernels} for {@link
   *     ScaleBlock#MATRIX}
   * @param bNK with scales of any kind, as far as there are such
   * @param cMN FP32 or BF16
   */
  void multiplyNT(Queue queue, ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN, boolean accumulate);

  /**
   * What a quantized matrix stands for: each code times the inverse scale of its block, rounded once.
   *
   * @param rowsMK with scales for {@link ScaleBlock#ROW} or {@link ScaleBlock#SQUARE}
   * @param xMK FP32 or BF16
   */
  void dequantize(Queue queue, ScaledMatrix rowsMK, Tensor xMK);
}
