package io.hirundo.monitor.internal.console;

/** Recurring work between steps, such as validation or saving, with its cost so far. */
final class PeriodicWork {
    private final long firstStep;
    private long firstTime;
    private long lastTime;
    private long times;
    private double nanos;

    PeriodicWork(long firstStep) {
        this.firstStep = firstStep;
    }

    /** Adds time after this step; may be called several times for one step. */
    void add(long step, double partNanos) {
        // Work before the first step does not recur.
        if (step < firstStep) {
            return;
        }
        if (step > lastTime) {
            firstTime = times == 0 ? step : firstTime;
            lastTime = step;
            times++;
        }
        nanos += partNanos;
    }

    /** Whether it has not happened yet. */
    boolean isNew() {
        return times == 0;
    }

    /** Expected time from a step to the last one. */
    double nanosUntil(long lastStep, long step) {
        if (times == 0) {
            return 0;
        }
        double interval = times == 1 ? firstTime - firstStep + 1.0 : (lastTime - firstTime) / (times - 1.0);
        // The interval counts from the last occurrence, so that the next one may be due right after this step.
        double next = Math.max(lastTime + interval, step);
        return next > lastStep ? 0 : (Math.floor((lastStep - next) / interval) + 1) * nanos / times;
    }
}
