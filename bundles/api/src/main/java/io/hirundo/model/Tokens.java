package io.hirundo.model;

import java.util.OptionalInt;

/**
 * Work of which a layer says how many FLOPs it takes.
 *
 * @param tokens number of tokens
 * @param attendedPairs pairs of a query and a key token that no mask hides
 */
public record Tokens(double tokens, double attendedPairs) {
    /** Full sequences with a causal mask, which hides half of the pairs. */
    public static Tokens causal(double sequences, double sequenceTokens) {
        return new Tokens(sequences * sequenceTokens, sequences * sequenceTokens * sequenceTokens / 2);
    }

    /**
     * The same with a sliding window, which hides the keys of S - W earlier positions from the last of S tokens: half of
     * {@code (S - W)²} pairs. S is the length that sequences have with these tokens and pairs, so it is a mean if they differ.
     */
    public Tokens within(OptionalInt window) {
        double sequenceTokens = 2 * attendedPairs / tokens;
        if (window.isEmpty() || !(sequenceTokens > window.getAsInt())) {
            return this;
        }
        double hidden = sequenceTokens - window.getAsInt();
        return new Tokens(tokens, attendedPairs - tokens / sequenceTokens * hidden * hidden / 2);
    }
}
