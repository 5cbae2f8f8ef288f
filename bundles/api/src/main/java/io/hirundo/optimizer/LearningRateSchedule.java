package io.hirundo.optimizer;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Learning-rate schedule, a pure function. Strategy kind {@code learning-rate}. Ranks that are threads of one process share it. A resumed run asks
 * for later steps only.
 */
@ConsumerType
public interface LearningRateSchedule {
  /**
   * The learning rate of a step.
   *
   * @param step from 1
   * @param totalSteps of the run
   * @return finite and at least 0, in the unit of the optimizer; the trainer rejects other rates before the first step
   */
  double at(long step, long totalSteps);
}
