package io.hirundo.monitor.internal.console;

/**
 * Remaining time as it is shown: it rises only for a reason. Noise of the steps moves each new estimate up and down, and a reader takes
 * every rise for a run that became slower. So the shown time stays while an estimate is only slightly above it, until the run has caught
 * up; an estimate that is far above it replaces it, because the run did become slower.
 */
final class SteadyTime {
    /**
     * A slower pace exceeds the shown time by more than this share, divided by the root of the number of steps: 25 % for 64 steps. The
     * shown time is the lowest of many estimates, so this is more than the noise of one.
     */
    private static final double NOISE_OF_STEP = 2;

    private double shownNanos = Double.POSITIVE_INFINITY;

    /** Something new takes time, validations for instance: the next estimate is shown, whatever it is. */
    void reset() {
        shownNanos = Double.POSITIVE_INFINITY;
    }

    /**
     * The time to show.
     *
     * @param steps how many steps the estimate is the mean of, at least 1; the mean of few steps has more noise
     */
    double shown(double estimateNanos, int steps) {
        double noise = NOISE_OF_STEP / Math.sqrt(steps);
        if (estimateNanos < shownNanos || estimateNanos > shownNanos * (1 + noise)) {
            shownNanos = estimateNanos;
        }
        return shownNanos;
    }
}
