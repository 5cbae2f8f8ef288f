package io.hirundo.precisionreport.internal;

import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * How many elements have which binary exponent.
 *
 * @param counts by exponent: {@code 0} for magnitudes from 1 to below 2; zeros and what is not finite not among them
 * @param zeros elements that are zero
 * @param elements all of them
 * @param largest magnitude that is finite
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
        // As a double it is normal, however small.
        counts.merge(Math.getExponent((double) value), 1L, Long::sum);
        largest = Math.max(largest, Math.abs(value));
      }
    }
    return new ExponentHistogram(counts, zeros, values.length, largest);
  }

  /** Part of all elements. */
  double share(int exponent) {
    return (double) counts.getOrDefault(exponent, 0L) / elements;
  }
}
