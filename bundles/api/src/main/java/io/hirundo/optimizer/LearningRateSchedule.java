package io.hirundo.optimizer;

import org.osgi.annotation.versioning.ConsumerType;

/** Learning-rate schedule, a pure function. Strategy kind {@code learning-rate}. */
@ConsumerType
public interface LearningRateSchedule {
  /**
   * The learning rate of a step.
   *
   * @param step from 1
   * @param totalSteps of the run
   */
  double at(long step, long totalSteps);
}
