package io.hirundo.lib.inference.sampling;

import io.hirundo.DataException;

/** The interface of a model for text generation: tokens in, logits of the next token out. */
public interface TokenLogits {
    /** The maximum sequence length of {@link #afterLast}. */
    int maximumTokens();

    /** V, the tokens of the model's vocabulary. */
    long vocabulary();

    /**
     * Checks that the model's vocabulary contains the tokens.
     *
     * @throws DataException if a token is outside the vocabulary
     */
    default void requireKnown(int[] tokens) {
        for (int token : tokens) {
            if (token < 0 || token >= vocabulary()) {
                throw new DataException("the text holds token " + token + ", outside the model's vocabulary of "
                        + vocabulary() + ": use the model's tokenizer for it");
            }
        }
    }

    /** Prepares for sequences of so many tokens, or of {@link #maximumTokens} if that is less. */
    default void reserve(int tokens) {}

    /** The logits of the token after the last one, [V]. */
    float[] afterLast(int[] tokens);
}
