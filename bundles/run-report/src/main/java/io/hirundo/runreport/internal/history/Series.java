package io.hirundo.runreport.internal.history;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Numbers by step, in the order of the file. NaN and infinities are kept: charts leave a gap there. */
public final class Series {
    private static final int FIRST_CAPACITY = 256;

    private long[] steps = new long[FIRST_CAPACITY];
    private double[] values = new double[FIRST_CAPACITY];
    private int size;

    /** Appends a value. */
    public void add(long step, double value) {
        if (size == steps.length) {
            steps = Arrays.copyOf(steps, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
        }
        steps[size] = step;
        values[size] = value;
        size++;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public long step(int index) {
        return steps[index];
    }

    public double value(int index) {
        return values[index];
    }

    /** The last value, NaN where there is none. */
    public double last() {
        return size == 0 ? Double.NaN : values[size - 1];
    }

    /** The smallest value, NaN where there is none. */
    public double min() {
        return Arrays.stream(values, 0, size).filter(Double::isFinite).min().orElse(Double.NaN);
    }

    /** The median of the finite values, NaN where there is none. */
    public double median() {
        double[] sorted =
                Arrays.stream(values, 0, size).filter(Double::isFinite).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }

    public double sum() {
        return Arrays.stream(values, 0, size).filter(Double::isFinite).sum();
    }

    /**
     * A moving average with weights that fall exponentially to both sides, so that the curve does not lag behind the values.
     *
     * @param window steps over which a value's weight falls to 1/e
     */
    public Series smoothed(double window) {
        int[] finite =
                IntStream.range(0, size).filter(i -> Double.isFinite(values[i])).toArray();
        var sums = new double[finite.length];
        var weights = new double[finite.length];
        double keep = Math.exp(-1 / window);
        accumulate(finite, keep, false, sums, weights);
        accumulate(finite, keep, true, sums, weights);
        var smoothed = new Series();
        for (int i = 0; i < finite.length; i++) {
            smoothed.add(steps[finite[i]], sums[i] / weights[i]);
        }
        return smoothed;
    }

    private void accumulate(int[] indices, double keep, boolean fromTheEnd, double[] sums, double[] weights) {
        double sum = 0;
        double weight = 0;
        for (int k = 0; k < indices.length; k++) {
            int i = fromTheEnd ? indices.length - 1 - k : k;
            sum = keep * sum + values[indices[i]];
            weight = keep * weight + 1;
            sums[i] += sum;
            weights[i] += weight;
        }
    }
}
