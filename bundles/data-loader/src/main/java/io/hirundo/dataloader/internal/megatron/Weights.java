package io.hirundo.dataloader.internal.megatron;

/** Sums as numpy makes them, so that shares are equal to the last bit. */
public final class Weights {
    private static final int LANES = 8;
    private static final int BLOCK = 128;

    private Weights() {}

    /** Each divided by the sum of all. */
    public static double[] normalize(double[] weights) {
        double sum = sum(weights);
        double[] shares = new double[weights.length];
        for (int i = 0; i < shares.length; i++) {
            shares[i] = weights[i] / sum;
        }
        return shares;
    }

    /** Pairwise summation, eight at a time where there are so many. */
    static double sum(double[] values) {
        return sum(values, 0, values.length);
    }

    private static double sum(double[] values, int first, int count) {
        if (count < LANES) {
            // numpy begins with -0.0 or 0.0 depending on its version; it makes no difference to what is added.
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += values[first + i];
            }
            return sum;
        }
        if (count > BLOCK) {
            int half = count / 2;
            half -= half % LANES;
            return sum(values, first, half) + sum(values, first + half, count - half);
        }
        double[] lanes = new double[LANES];
        int whole = count - count % LANES;
        for (int i = 0; i < whole; i++) {
            lanes[i % LANES] += values[first + i];
        }
        double sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
        for (int i = whole; i < count; i++) {
            sum += values[first + i];
        }
        return sum;
    }
}
