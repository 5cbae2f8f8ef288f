package io.hirundo.trainer.internal.checkpoint.value;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.lib.run.rate.SavedSchedule;
import io.hirundo.lib.run.rate.ScheduleSpan;
import java.util.Map;
import java.util.Optional;

/** Converts the span of a learning-rate schedule to and from a checkpoint's values. */
public final class SavedSpan {
    private static final String BEGAN = "began";
    private static final String STEPS = "steps";

    private SavedSpan() {}

    public static Map<String, Object> values(ScheduleSpan span) {
        return Map.of(BEGAN, span.began(), STEPS, span.steps());
    }

    /**
     * Checkpoints from before schedules had a length of their own have the steps of their run in the configuration, which was that length.
     *
     * @throws CheckpointException if the span is damaged
     */
    public static SavedSchedule of(CheckpointInfo checkpoint, Map<String, Object> values) {
        long runSteps = values.get("configuration") instanceof Map<?, ?> saved
                        && saved.get("training") instanceof Map<?, ?> training
                        && training.get(STEPS) instanceof Number steps
                ? steps.longValue()
                : 0;
        Object span = values.get(SavedValues.SCHEDULE);
        if (span == null) {
            return new SavedSchedule(
                    runSteps < 1 ? Optional.empty() : Optional.of(new ScheduleSpan(0, runSteps)), runSteps);
        }
        if (span instanceof Map<?, ?> numbers) {
            var saved = new SavedIntegers(checkpoint, "values." + SavedValues.SCHEDULE, numbers);
            long began = saved.count(BEGAN);
            long steps = saved.count(STEPS);
            if (steps > 0 && began <= checkpoint.step()) {
                return new SavedSchedule(Optional.of(new ScheduleSpan(began, steps)), runSteps);
            }
        }
        throw new CheckpointException(checkpoint.path() + ": field values." + SavedValues.SCHEDULE
                + " is wrong (allowed: the first step and the steps of a learning-rate"
                + " schedule); use an older checkpoint");
    }
}
