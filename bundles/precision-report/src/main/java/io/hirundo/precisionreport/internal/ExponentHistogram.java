package io.hirundo.precisionreport.internal;

import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Counts elements by binary exponent.
 *
 * @param counts by exponent: {@code 0} for magnitudes in [1, 2); without zeros, NaNs and infinities
 * @param zeros elements that are zero
 * @param elements total number
 * @param largest finite magnitude
 */
record ExponentHistogram(NavigableMap<Integer, Long> counts, long zeros, long elements, double largest) {
    static ExponentHistogram of(float[] values) {
        var counts = new TreeMap<Integer, Long>();
        long zeros = 0;
        float largest = 0;
        for (float value : values) {
            if (value == 0) {
                zeros++;
            } else if (Float.isFinite(value)) {
                // Every float is a normal number as a double.
                counts.merge(Math.getExponent((double) value), 1L, Long::sum);
                largest = Math.max(largest, Math.abs(value));
            }
        }
        return new ExponentHistogram(counts, zeros, values.length, largest);
    }

    /** Fraction of all elements. */
    double share(int exponent) {
        return (double) counts.getOrDefault(exponent, 0L) / elements;
    }
}
