package io.hirundo.lib.run.config;

/** Settings of the form {@code everySteps}. */
public final class Intervals {
    private Intervals() {}

    /** Whether {@code step} (from 1) is a multiple of {@code everySteps}; never, where that is 0. */
    public static boolean isDue(long step, long everySteps) {
        return everySteps > 0 && step % everySteps == 0;
    }
}
