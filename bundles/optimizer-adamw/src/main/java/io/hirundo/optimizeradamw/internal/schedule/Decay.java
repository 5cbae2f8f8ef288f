package io.hirundo.optimizeradamw.internal.schedule;

/** The shape of a schedule after its warm-up. */
@FunctionalInterface
interface Decay {
  /**
   * How much is left of the way from the final rate up to the peak, from 1 down to 0.
   *
   * @param stepsAfterWarmup at least 1, at most {@code decaySteps}
   * @param decaySteps the run's steps after the warm-up
   */
  double remaining(long stepsAfterWarmup, long decaySteps);
}
