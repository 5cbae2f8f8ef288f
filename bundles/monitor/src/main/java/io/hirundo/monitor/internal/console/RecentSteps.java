package io.hirundo.monitor.internal.console;

import java.util.Arrays;

/**
 * The pace of the last steps: at most {@link #MOST}, and early in a run its last third, to leave out the warm-up. If the first
 * step was much slower than the last ones, the pace still improves (JIT compilation), and its limit is extrapolated: in a short
 * run 5 % of the steps are slow.
 */
final class RecentSteps {
    private static final int MOST = 64;
    private static final int LEAST = 3;

    /** So many steps tell whether the pace still improves: two for each third. */
    private static final int LEAST_TO_SETTLE = 6;

    /** The pace no longer improves if the last third of the steps takes at least this share of the first third's time. */
    private static final double SETTLED = 0.8;

    /** One step of an hour, on a machine that slept, must not make an estimate of days. */
    private static final double MOST_MEDIANS = 3;

    /** The first step of a run with JIT warm-up is this many times slower than the last ones. Waiting for data varies less. */
    private static final double WARM_UP = 3;

    /** How many times faster than the last ones steps may become. */
    private static final double MOST_EXTRAPOLATED = 10;

    /** The slowest decay that is extrapolated; noise would dominate slower ones. */
    private static final double MOST_RATIO = 0.75;

    private final double[] ring = new double[MOST];
    private long count;

    void add(double nanos) {
        ring[(int) (count % MOST)] = nanos;
        count++;
    }

    /** The steps so far. */
    long count() {
        return count;
    }

    /** Whether the pace no longer improves, or so many steps were timed that the last ones leave out the warm-up. */
    boolean isSettled() {
        if (count < LEAST_TO_SETTLE || count > MOST) {
            return count > MOST;
        }
        int group = (int) count / 3;
        int begin = (int) count - 3 * group;
        return median(begin + 2 * group, group) >= SETTLED * median(begin, group);
    }

    /** Predicts the total time of the next steps; 0 before the first step. */
    double nanosOf(long steps) {
        if (count == 0) {
            return 0;
        }
        double warmUp = count >= LEAST && count <= MOST ? warmUpNanosOf(steps) : Double.NaN;
        return Double.isNaN(warmUp) ? steps * meanNanos() : warmUp;
    }

    /** Of how many steps the mean is taken. */
    int averaged() {
        return (int) Math.min(count, Math.clamp(count / 3, LEAST, MOST));
    }

    /** Mean of the last steps, each capped at three times their median. */
    private double meanNanos() {
        int recent = averaged();
        double[] nanos = new double[recent];
        for (int i = 0; i < recent; i++) {
            nanos[i] = ring[(int) ((count - 1 - i) % MOST)];
        }
        Arrays.sort(nanos);
        double limit = MOST_MEDIANS * nanos[(recent - 1) / 2];
        return Arrays.stream(nanos).map(each -> Math.min(each, limit)).average().orElseThrow();
    }

    /**
     * Takes the medians of three groups of steps as terms of {@code limit + excess * ratio^n}. Aitken's delta-squared process
     * gives the limit exactly. NaN if the terms do not decay geometrically.
     */
    private double warmUpNanosOf(long steps) {
        int group = (int) count / 3;
        int begin = (int) count - 3 * group;
        double first = median(begin, group);
        double second = median(begin + group, group);
        double third = median(begin + 2 * group, group);
        double ratio = (third - second) / (second - first);
        boolean decays = third <= second && second < first && ratio <= MOST_RATIO;
        if (!decays || ring[0] < WARM_UP * third) {
            return Double.NaN;
        }
        double excess = (second - third) * ratio / (1 - ratio);
        // A limit of zero or less is impossible: the decay was not geometric.
        double limit = Math.max(third - excess, third / MOST_EXTRAPOLATED);
        double groupsOfExcess = ratio / (1 - ratio);
        return steps * limit + Math.min((double) steps, group * groupsOfExcess) * (third - limit);
    }

    /** The lower median, for an even count. */
    private double median(int begin, int size) {
        double[] nanos = Arrays.copyOfRange(ring, begin, begin + size);
        Arrays.sort(nanos);
        return nanos[(size - 1) / 2];
    }
}
