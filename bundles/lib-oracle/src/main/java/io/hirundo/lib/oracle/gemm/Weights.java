package io.hirundo.lib.oracle.gemm;

import java.util.Arrays;
import java.util.function.LongToDoubleFunction;

/**
 * Random weights of the rows and columns of a result, the same in every JVM. Sums with weights of either sign show what plain sums
 * hide: errors that cancel each other, and elements that changed places.
 */
final class Weights {
    private static final long ROWS = 0x9e3779b97f4a7c15L;
    private static final long COLUMNS = 0xd1b54a32d192ed03L;

    private Weights() {}

    static double ofRow(long row) {
        return weight(row * ROWS + COLUMNS);
    }

    static double ofColumn(long column) {
        return weight(column * COLUMNS + ROWS);
    }

    /** The first {@code count} of {@link #ofRow} or {@link #ofColumn}. */
    static double[] all(LongToDoubleFunction weights, int count) {
        double[] all = new double[count];
        Arrays.setAll(all, weights::applyAsDouble);
        return all;
    }

    /** In [0.5, 1.5), of either sign. The mixing is that of SplitMix64 (Steele, Lea and Flood 2014). */
    private static double weight(long seed) {
        long z = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        z ^= z >>> 31;
        double magnitude = 0.5 + (z >>> 11) * 0x1p-53;
        return (z & 1) == 0 ? magnitude : -magnitude;
    }
}
