package io.hirundo.kernel;

import java.util.Optional;

/**
 * Shape and mask of one causal attention.
 *
 * @param sequences B
 * @param queryTokens query tokens of each sequence, S
 * @param keyTokens key tokens of each sequence
 * @param heads the heads
 * @param causalOffset query i attends to key j if {@code j <= i + causalOffset}; 0 if queries and keys start at the same token,
 *     at least {@code keyTokens} for no mask
 * @param documents masks keys of earlier documents: key j is masked if {@code firstKey + j} is before the start of the query's
 *     document. Empty if a sequence is one document
 */
public record AttentionShape(
    int sequences, int queryTokens, int keyTokens, Heads heads, int causalOffset, Optional<DocumentBounds> documents) {
  /** Without document mask. */
  public AttentionShape(int sequences, int queryTokens, int keyTokens, Heads heads, int causalOffset) {
    this(sequences, queryTokens, keyTokens, heads, causalOffset, Optional.empty());
  }

  /** Self-attention: queries and keys are the same tokens. */
  public static AttentionShape causal(int sequences, int tokens, Heads heads) {
    return new AttentionShape(sequences, tokens, tokens, heads, 0);
  }

  /** The same with a document mask. */
  public AttentionShape within(DocumentBounds bounds) {
    return new AttentionShape(sequences, queryTokens, keyTokens, heads, causalOffset, Optional.of(bounds));
  }
}
