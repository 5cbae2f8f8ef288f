package io.hirundo.model;

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
}
