package io.hirundo.kernel;

/**
 * Extents of one causal attention.
 *
 * @param sequences B
 * @param queryTokens tokens of each sequence that ask, S
 * @param keyTokens tokens of each sequence that are asked
 * @param heads the heads
 * @param causalOffset query i sees key j if and only if {@code j <= i + causalOffset}; 0 where queries and keys begin
 *     together, at least {@code keyTokens} for no mask
 */
public record AttentionShape(int sequences, int queryTokens, int keyTokens, Heads heads, int causalOffset) {
  /** Queries and keys are the same tokens. */
  public static AttentionShape causal(int sequences, int tokens, Heads heads) {
    return new AttentionShape(sequences, tokens, tokens, heads, 0);
  }
}
