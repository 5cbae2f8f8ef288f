package io.hirundo.precision;

/** The dimension that a GEMM sums over; operands are quantized along it. */
public enum Contraction {
    /** The features of a token: {@code y = x wᵀ} and {@code dx = dy w}. */
    FEATURES,
    /** The tokens: {@code dw += dyᵀ x}. */
    TOKENS
}
