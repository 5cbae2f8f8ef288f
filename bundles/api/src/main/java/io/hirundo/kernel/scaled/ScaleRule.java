package io.hirundo.kernel.scaled;

/** How a block's scale is chosen. */
public enum ScaleRule {
    /** The largest power of two that keeps the block in range, so that scaling itself is exact. */
    POWER_OF_TWO,
    /** Maps the block's amax to the largest value of the dtype. */
    EXACT
}
