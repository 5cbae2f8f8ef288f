package io.hirundo.lib.oracle.gemm;

/** Sums of products, in four sums side by side: one would wait for each addition before the next. */
final class Dot {
    private Dot() {}

    /** Of {@code a[from..to)} and {@code b[from..to)}. */
    static double of(double[] a, double[] b, int from, int to) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        int i = from;
        for (; i < to - 3; i += 4) {
            s0 += a[i] * b[i];
            s1 += a[i + 1] * b[i + 1];
            s2 += a[i + 2] * b[i + 2];
            s3 += a[i + 3] * b[i + 3];
        }
        for (; i < to; i++) {
            s0 += a[i] * b[i];
        }
        return (s0 + s1) + (s2 + s3);
    }
}
