package io.hirundo.trainer.internal.sampling;

import io.hirundo.DataException;

/** A model, as the sampling of text sees it. */
public interface TokenLogits {
  /** Longest sequence that {@link #afterLast} takes. */
  int maximumTokens();

  /**
   * Checks tokens before they are needed.
   *
   * @throws DataException where the model's vocabulary lacks one of them
   */
  void requireKnown(int[] tokens);

  /** Logits of the token that follows the last one, [V]. */
  float[] afterLast(int[] tokens);
}
