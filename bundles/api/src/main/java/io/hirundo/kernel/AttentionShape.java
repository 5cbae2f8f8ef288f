package io.hirundo.kernel;

import java.util.Optional;

/**
 * Extents of one causal attention, and what a query sees of it.
 *
 * @param sequences B
 * @param queryTokens tokens of each sequence that ask, S
 * @param keyTokens tokens of each sequence that are asked
 * @param heads the heads
 * @param causalOffset query i sees key j if and only if {@code j <= i + causalOffset}; 0 where queries and keys begin
 *     together, at least {@code keyTokens} for no mask
 * @param documents of which a query sees its own alone: not key j where {@code firstKey + j} lies before the query's start;
 *     empty where a sequence is one document
 */
public record AttentionShape(
    int sequences, int queryTokens, int keyTokens, Heads heads, int causalOffset, Optional<DocumentBounds> documents) {
  /** Sequences of one document. */
  public AttentionShape(int sequences, int queryTokens, int keyTokens, Heads heads, int causalOffset) {
    this(sequences, queryTokens, keyTokens, heads, causalOffset, Optional.empty());
  }

  /** Queries and keys are the same tokens. */
  public static AttentionShape causal(int sequences, int tokens, Heads heads) {
    return new AttentionShape(sequences, tokens, tokens, heads, 0);
  }

  /** The same in sequences of several documents. */
  public AttentionShape within(DocumentBounds bounds) {
    return new AttentionShape(sequences, queryTokens, keyTokens, heads, causalOffset, Optional.of(bounds));
  }
}
