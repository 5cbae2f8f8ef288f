package io.hirundo.lib.run.rate;

import java.util.Optional;

/**
 * What a checkpoint says of the schedule of its run.
 *
 * @param span empty if it does not say
 * @param runSteps {@code training.steps} of the run that saved it; 0 if it does not say
 */
public record SavedSchedule(Optional<ScheduleSpan> span, long runSteps) {}
