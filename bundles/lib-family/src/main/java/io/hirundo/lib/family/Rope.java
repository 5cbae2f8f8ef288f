package io.hirundo.lib.family;

/**
 * Rotary embedding.
 *
 * @param theta base of the frequencies
 * @param scaling null for none
 */
public record Rope(double theta, Scaling scaling) {
    /** Frequency scaling of type {@code llama3}. */
    public record Scaling(double factor, double lowFreqFactor, double highFreqFactor, int originalMaxPositions) {}
}
