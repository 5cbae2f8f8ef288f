package io.hirundo.trainer.internal.swap;

import java.util.ArrayDeque;
import java.util.Deque;

/** The loss monitor after a swap: detects whether the loss rises too far above its mean before the swap. */
public final class SwapLossMonitor {
    /** Long enough that a single easy batch does not make the next one look like a jump. */
    private static final int MEAN_STEPS = 20;

    /** In nats. Lower bound of the mean that scales the allowed rise, because small losses vary more between batches. */
    private static final double MINIMUM_MEAN = 0.05;

    private final Deque<Double> before = new ArrayDeque<>();
    private double limit;
    private long stepsLeft;

    /** Records the loss of a step. Returns whether it is a jump above the limit. */
    public boolean jumpsAt(double loss) {
        if (stepsLeft > 0) {
            stepsLeft--;
            if (!(loss <= limit)) {
                stepsLeft = 0;
                return true;
            }
        }
        before.addLast(loss);
        if (before.size() > MEAN_STEPS) {
            before.removeFirst();
        }
        return false;
    }

    /**
     * Starts to monitor. If it is already active, the limit stays at the mean before the first change.
     *
     * @param rise allowed rise above the mean, as a fraction of the mean
     */
    public void begin(long steps, double rise) {
        if (!isOn()) {
            limit = mean() + rise * Math.max(mean(), MINIMUM_MEAN);
        }
        stepsLeft = before.isEmpty() ? 0 : steps;
    }

    public boolean isOn() {
        return stepsLeft > 0;
    }

    double mean() {
        return before.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }

    public double limit() {
        return limit;
    }
}
