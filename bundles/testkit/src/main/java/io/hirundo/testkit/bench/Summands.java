package io.hirundo.testkit.bench;

import io.hirundo.tensor.DType;
import io.hirundo.testkit.scalar.value.HostValues;

/** Values of very different magnitude, so that another order of summation changes the bits. */
public final class Summands {
    private static final double[] SIZES = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

    private Summands() {}

    public static double value(int rank, long index) {
        long bits = (index * 8 + rank + 1) * 0x9E3779B97F4A7C15L;
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        return (bits >> 40) * SIZES[(int) (bits & 7)];
    }

    /** Sums in rank order, each addition rounded to the dtype. BF16 is summed in FP32 and rounded once at the end. */
    public static double[] sums(int ranks, DType dtype, int count) {
        DType sumType = dtype == DType.BF16 ? DType.FP32 : dtype;
        var sums = new double[count];
        for (int i = 0; i < count; i++) {
            sums[i] = HostValues.rounded(dtype, value(0, i));
            for (int rank = 1; rank < ranks; rank++) {
                sums[i] = HostValues.rounded(sumType, sums[i] + HostValues.rounded(dtype, value(rank, i)));
            }
            sums[i] = HostValues.rounded(dtype, sums[i]);
        }
        return sums;
    }
}
