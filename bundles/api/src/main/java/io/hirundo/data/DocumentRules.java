package io.hirundo.data;

/**
 * What it means for the tokens of a sample that several documents lie in it, one after the other. As Megatron-LM's options
 * {@code reset-attention-mask}, {@code reset-position-ids} and {@code eod-mask-loss}.
 *
 * @param endToken ends a document, and belongs to it
 * @param separateAttention whether a token sees those of its own document alone
 * @param resetPositions whether positions begin at 0 in every document, and not in the sample alone
 * @param maskEnd whether what follows an end token, another document's beginning, counts neither in the loss nor in its mean
 */
public record DocumentRules(int endToken, boolean separateAttention, boolean resetPositions, boolean maskEnd) {
  /** A sample is one document, whatever is in it. */
  public static final DocumentRules NONE = new DocumentRules(-1, false, false, false);
}
