package io.hirundo.model;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** RMSNorm, with the residual sum in front of it where there is one. */
@ConsumerType
public interface NormLayer extends Layer {
  /**
   * What a forward made.
   *
   * @param yTC the normalized activations
   * @param inverseRmsT kept for the backward
   */
  record Normalized(Tensor yTC, Tensor inverseRmsT) {}

  Normalized forward(StepContext context, Tensor xTC);

  /** As {@link #forward} of {@code x + delta}; the sum is left in {@code deltaTC}. */
  Normalized addForward(StepContext context, Tensor xTC, Tensor deltaTC);

  /** {@code y} again, bitwise. */
  Tensor reapply(StepContext context, Tensor xTC, Tensor inverseRmsT);

  /**
   * The gradient of the norm's input.
   *
   * @param residualGradientTC what reaches the input past the norm, added; or null
   */
  Tensor backwardInput(StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor residualGradientTC);

  void backwardWeight(StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT);
}
