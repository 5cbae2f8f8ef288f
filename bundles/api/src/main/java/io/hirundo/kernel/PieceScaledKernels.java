package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Quantizes an FP32 matrix piece by piece, where several ranks have a run of its elements each: what comes out is bit for bit what
 * {@link BlockScaledKernels} make of the whole, with scales for {@link ScaleBlock#SQUARE}. Largest magnitudes of its blocks are
 * FP32 and lie as the inverse scales of the matrix do; since a maximum does not depend on the order, those of ranks can be merged
 * before anything is quantized.
 */
@ConsumerType
public interface PieceScaledKernels {
  /** {@code amax = max(amax, |x|)} for every block that a run has elements of; what is not a number does not count. */
  void measure(Queue queue, MatrixRun x, Tensor amax);

  /**
   * Codes of a run.
   *
   * @param amax of the whole matrix
   * @param codes of an 8-bit type, as many as the run has elements
   */
  void quantize(Queue queue, MatrixRun x, Tensor amax, ScaleRule rule, Tensor codes);

  /**
   * What a quantized matrix lacks when its codes are there: its inverse scales, and its transpose.
   *
   * @param rowsMK has codes, and gets inverse scales
   * @param columnsKM gets both
   */
  void complete(Queue queue, Tensor amax, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM);
}
