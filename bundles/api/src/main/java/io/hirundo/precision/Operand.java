package io.hirundo.precision;

/** An operand of a linear layer's GEMMs. */
public enum Operand {
    /** x, [T, K]. */
    INPUT,
    /** w, [N, K]. */
    WEIGHT,
    /** dy, [T, N]. */
    OUTPUT_GRADIENT
}
