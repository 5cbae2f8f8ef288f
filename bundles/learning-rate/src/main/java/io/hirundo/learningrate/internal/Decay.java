package io.hirundo.learningrate.internal;

/** The shape of a schedule after its warm-up. */
@FunctionalInterface
interface Decay {
    /**
     * Share of the difference between peak and final rate that is left; falls from 1 to 0.
     *
     * @param stepsAfterWarmup at least 1, at most {@code decaySteps}
     * @param decaySteps the run's steps after the warm-up
     */
    double remaining(long stepsAfterWarmup, long decaySteps);
}
