package io.hirundo.optimizer;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Learning-rate schedule, a pure function. Strategy kind {@code learning-rate}. Ranks that are threads of one process share it. A resumed run asks
 * for later steps only.
 */
@ConsumerType
public interface LearningRateSchedule {
    /**
     * The learning rate of a step. After the last step of the schedule the trainer keeps its rate, and asks for no later one.
     *
     * @param step from 1 to {@code totalSteps}
     * @param totalSteps of the schedule ({@code training.scheduleSteps}); by default those that the run had when it began. The run may have
     *     fewer steps, or be extended to more
     * @return finite and at least 0, in the unit of the optimizer; the trainer rejects other rates before the first step
     */
    double at(long step, long totalSteps);

    /**
     * This schedule in a run whose steps consume so much. The trainer calls it before {@link #at}. Schedules without settings in samples or
     * tokens need not override it.
     *
     * @param samples sequences per step ({@code training.globalBatch})
     * @param tokens per step
     */
    default LearningRateSchedule forBatch(long samples, long tokens) {
        return this;
    }
}
