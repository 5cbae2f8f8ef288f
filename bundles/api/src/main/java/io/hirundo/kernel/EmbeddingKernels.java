package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Embedding lookup. The table holds rows {@code [firstToken, firstToken + V)} of the vocabulary; a token outside gives a
 * row of zeros and no gradient, so that a vocabulary can be split over ranks. With BF16 activations the table and its gradient
 * may be FP32.
 */
@ConsumerType
public interface EmbeddingKernels {
  void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC);

  /** {@code dTable[token] += dy}, tokens in order. */
  void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC);
}
