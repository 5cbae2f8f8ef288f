package io.hirundo.model.support;

/** Chunks of tokens in which a {@link io.hirundo.model.LossHeadLayer} makes its logits. */
public final class LogitChunks {
  /** Fewer make no good matrix product. */
  private static final long LEAST_TOKENS = 64;

  /** Of logits, which stay in a shared cache. */
  private static final long CACHED_BYTES = 16L << 20;

  private LogitChunks() {}

  /**
   * Tokens of a chunk: the largest of 64, of as many as have 16 MiB of logits, and of a quarter of the channels. For a chunk reads and
   * writes the whole gradient of the weight: where the vocabulary is large, that takes longer than the products of a few tokens. With a
   * quarter of the channels, BF16 logits take an eighth of what the gradient does in FP32.
   *
   * @param columns of the logits on this rank
   * @param channels of {@code hTC}
   * @param elementBytes of a logit
   */
  public static long tokens(long columns, long channels, int elementBytes) {
    return Math.max(LEAST_TOKENS, Math.max(CACHED_BYTES / (columns * elementBytes), channels / 4));
  }
}
