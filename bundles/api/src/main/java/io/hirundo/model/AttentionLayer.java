package io.hirundo.model;

import io.hirundo.kernel.QueryKeyValue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Causal attention between the QKV projection and the output projection. */
@ConsumerType
public interface AttentionLayer extends Layer {
  /**
   * What a forward made; all of it is kept for the backward.
   *
   * @param heads rotated queries and keys, and values
   * @param outputTHD joined heads
   * @param logSumExpBHS logarithm of the sum of exponentials of each query
   */
  record Attended(QueryKeyValue heads, Tensor outputTHD, Tensor logSumExpBHS) {}

  Attended forward(StepContext context, Tensor qkvTE);

  /** The gradient of {@code qkvTE}. */
  Tensor backwardInput(StepContext context, Tensor outputGradientTHD, Attended forward);
}
