package io.hirundo.model;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Projection to the vocabulary and cross-entropy, in chunks of tokens, so that the logits of a whole microbatch need never
 * exist. The backward runs with the forward, chunk by chunk.
 */
@ConsumerType
public interface LossHeadLayer extends Layer {
  /**
   * Tokens of a chunk, for a good matrix product: the largest of 64, of as many as have 16 MiB of logits, which stay in a shared cache,
   * and of a quarter of the channels. For a chunk reads and writes the whole gradient of the weight: where the vocabulary is large, that takes longer than
   * the products of a few tokens. With a quarter of the channels, BF16 logits take an eighth of what the gradient does in FP32.
   *
   * @param columns of the logits on this rank
   * @param channels of {@code hTC}
   * @param elementBytes of a logit
   */
  static long chunkTokens(long columns, long channels, int elementBytes) {
    return Math.max(64, Math.max((16L << 20) / (columns * elementBytes), channels / 4));
  }

  /** Adds the microbatch's loss to {@code context.lossSum()}. */
  void forward(StepContext context, Tensor hTC);

  /** As {@link #forward}; also accumulates the weight gradient, and returns the gradient of {@code hTC}. */
  Tensor forwardBackward(StepContext context, Tensor hTC);

  /** Logits of the given rows, for generation. */
  Tensor logits(StepContext context, Tensor hTC);
}
