package io.hirundo.lib.run.rate;

import io.hirundo.lib.run.section.TrainingSection;

/**
 * The steps of a run that its learning-rate schedule covers.
 *
 * @param began steps of the run before the first one of the schedule; more than 0 after a restart of the schedule
 * @param steps of the schedule
 */
public record ScheduleSpan(long began, long steps) {
    /** Of a new run. */
    public static ScheduleSpan of(TrainingSection training) {
        return new ScheduleSpan(0, training.scheduleSteps() > 0 ? training.scheduleSteps() : training.steps());
    }

    /** The last step of the run that the schedule covers. */
    public long end() {
        return began + steps;
    }
}
