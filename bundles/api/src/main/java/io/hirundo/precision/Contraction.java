package io.hirundo.precision;

/** What a product sums over, and an operand is therefore quantized along. */
public enum Contraction {
  /** Channels of a token: in {@code y = x wᵀ} and {@code dx = dy w}. */
  FEATURES,
  /** Tokens of a channel: in {@code dw += dyᵀ x}. */
  TOKENS
}
