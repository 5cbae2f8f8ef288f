package io.hirundo.kernel;

import java.util.Arrays;

/**
 * The 256 values of the 8-bit dynamic data type (Dettmers et al. 2022, arXiv 2110.02861), in ascending order: seven decades below 1, with twice as
 * many evenly spaced values in each as in the one below, 0, and 1. A quantized value is an index of this order. Optimizer state is stored as
 * quantized values and the largest magnitude of each block, by which values are divided first.
 */
public final class DynamicMap {
    /** For values of both signs; the most negative one is not -1. */
    public static final DynamicMap SIGNED = new DynamicMap(true);

    /** For values of at least 0. */
    public static final DynamicMap UNSIGNED = new DynamicMap(false);

    private static final int VALUES = 256;
    private static final int DECADES = 7;

    private final float[] values = new float[VALUES];
    /** Between each value and the next. */
    private final float[] middles = new float[VALUES - 1];

    private DynamicMap(boolean signed) {
        int found = 0;
        for (int decade = 0; decade < DECADES; decade++) {
            int items = 1 << (signed ? decade : decade + 1);
            double scale = Math.pow(10, decade - DECADES + 1);
            for (int item = 0; item < items; item++) {
                // The middle of one of the items that divide 0.1 to 1.
                float value = (float) (scale * (0.1 + 0.9 * (item + 0.5) / items));
                values[found++] = value;
                if (signed) {
                    values[found++] = -value;
                }
            }
        }
        values[found++] = 0;
        values[found] = 1;
        Arrays.sort(values);
        for (int quantized = 0; quantized + 1 < VALUES; quantized++) {
            middles[quantized] = (float) ((values[quantized] + (double) values[quantized + 1]) / 2);
        }
    }

    /** The value of a quantized one, from 0 to 255. */
    public float value(int quantized) {
        return values[quantized];
    }

    /** Quantizes to the nearest value, to the lower one where two are equally near; NaN as 1. */
    public int quantized(float value) {
        int low = 0;
        // Of the values from low on: is the nearest one at least step further?
        for (int step = VALUES / 2; step > 0; step /= 2) {
            // Negated, so that NaN goes up.
            if (!(value <= middles[low + step - 1])) {
                low += step;
            }
        }
        return low;
    }
}
