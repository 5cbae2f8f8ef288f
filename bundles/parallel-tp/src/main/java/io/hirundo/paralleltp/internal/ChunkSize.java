package io.hirundo.paralleltp.internal;

/**
 * How many tokens have logits at a time.
 *
 * @param bytes of logits that a chunk should not exceed
 * @param minimumTokens that it has nevertheless
 */
record ChunkSize(long bytes, long minimumTokens) {
  /** Small enough to stay in a shared cache, large enough for a good matrix product. */
  static final ChunkSize DEFAULT = new ChunkSize(16L << 20, 64);

  /** Tokens of a chunk. */
  long tokens(long rowBytes) {
    return Math.max(minimumTokens, bytes / rowBytes);
  }
}
