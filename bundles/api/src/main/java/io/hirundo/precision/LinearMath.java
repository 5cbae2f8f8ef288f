package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** The three matrix products of one linear layer {@code y = x wᵀ}. Suffixes as in {@code io.hirundo.kernel.Kernels}. */
@ConsumerType
public interface LinearMath extends AutoCloseable {
  /**
   * Prepares a weight for the products, once per optimizer step.
   *
   * @param reuse what an earlier call returned, to be overwritten; or null
   * @return owned by the caller; may refer to {@code wNK}, which must outlive it
   */
  PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse);

  /** {@code y = x wᵀ}. */
  void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN);

  /** {@code dx = dy w}. */
  void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK);

  /** {@code dw += dyᵀ x}. */
  void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK);

  @Override
  void close();
}
