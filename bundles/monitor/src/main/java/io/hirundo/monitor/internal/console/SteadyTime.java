package io.hirundo.monitor.internal.console;

import java.util.OptionalLong;

/**
 * Remaining time as it is shown: it rises only for a reason. Noise of the steps moves each new estimate up and down, and a reader takes
 * every rise for a run that became slower. So the shown time stays while estimates are above it, until the run has caught up. Only where
 * they stay far above it for {@value #WINDOW} steps has the run become slower: then the shown time rises, and {@link #slowerSince} says so.
 */
final class SteadyTime {
    /** So many steps in a row tell a slower pace from noise: the mean of no step of the faster pace is left. */
    private static final int WINDOW = 64;

    /**
     * A slower pace exceeds the shown time by more than this share, which is the lowest of many estimates: if times vary by 30 %, it is 30 %
     * too low where it comes from a few early steps.
     */
    private static final double NOISE = 0.5;

    /** An estimate from few steps has more noise: this, divided by the root of their number. */
    private static final double NOISE_OF_STEP = 2;

    private double shownNanos = Double.POSITIVE_INFINITY;

    /** How many estimates in a row were far above what is shown, and the step of the first one. */
    private int above;

    private long firstAbove;

    private OptionalLong slowerSince = OptionalLong.empty();

    /** What the run has to reach to have caught up with its pace before it became slower. */
    private double beforeNanos;

    /** Something new takes time, validations for instance: the next estimate is shown, whatever it is. */
    void reset() {
        shownNanos = Double.POSITIVE_INFINITY;
        above = 0;
        slowerSince = OptionalLong.empty();
    }

    /**
     * The time to show.
     *
     * @param step the last step
     * @param steps how many steps the estimate is the mean of, at least 1; the mean of few steps has more noise
     */
    double shown(double estimateNanos, long step, int steps) {
        if (estimateNanos < shownNanos) {
            shownNanos = estimateNanos;
        }
        double noise = Math.max(NOISE, NOISE_OF_STEP / Math.sqrt(steps));
        if (estimateNanos <= shownNanos * (1 + noise)) {
            above = 0;
        } else if (above++ == 0) {
            // By then about half of the steps of the mean have the slower pace.
            firstAbove = step - steps / 2;
        }
        if (above > WINDOW) {
            above = 0;
            if (slowerSince.isEmpty()) {
                slowerSince = OptionalLong.of(firstAbove);
                beforeNanos = shownNanos;
            }
            shownNanos = estimateNanos;
        }
        if (slowerSince.isPresent() && shownNanos <= beforeNanos) {
            slowerSince = OptionalLong.empty();
        }
        return shownNanos;
    }

    /** The step from which on the run is slower, until the shown time is below the one before. */
    OptionalLong slowerSince() {
        return slowerSince;
    }
}
