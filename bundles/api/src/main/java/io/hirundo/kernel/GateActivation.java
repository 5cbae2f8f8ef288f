package io.hirundo.kernel;

/** The function of the gate in a gated MLP (Shazeer 2020, arXiv 2002.05202). */
public enum GateActivation {
    /** {@code x / (1 + exp(-x))}: SwiGLU. */
    SILU,
    /**
     * {@code x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x³)))}: GeGLU with the approximation of GELU by the hyperbolic tangent (Hendrycks
     * and Gimpel 2016, arXiv 1606.08415), as in Gemma.
     */
    GELU_TANH
}
