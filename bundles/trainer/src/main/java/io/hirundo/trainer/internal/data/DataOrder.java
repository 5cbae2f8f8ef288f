package io.hirundo.trainer.internal.data;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.data.SampleSet;
import io.hirundo.lib.run.config.RunConfiguration;
import java.util.Map;
import java.util.Optional;

/** Checks that samples read after a resume are those that the run would have read next. */
public final class DataOrder {
    /** Key of the checkpoint value that names the order of the samples. */
    public static final String NAME = "dataOrder";

    private DataOrder() {}

    /**
     * Returns if the samples continue the order of the checkpoint, or {@code data.allowOrderChange} allows another one.
     *
     * @param configuration of the run that reads them
     * @param samples opened at the checkpoint's data cursor
     * @param values of the checkpoint
     * @throws ConfigurationException with the remedy
     */
    public static void require(
            RunConfiguration configuration, SampleSet samples, CheckpointInfo checkpoint, Map<String, Object> values) {
        if (configuration.data().allowOrderChange()) {
            return;
        }
        Optional<String> recorded = Optional.ofNullable(values.get(NAME)).map(Object::toString);
        samples.orderConflict(recorded)
                .or(() -> recorded.isEmpty() ? conflictOfOtherSteps(configuration, samples, values) : Optional.empty())
                .ifPresent(conflict -> {
                    throw new ConfigurationException(conflict + "; or accept that samples of " + checkpoint.path()
                            + " repeat or never come with --set data.allowOrderChange=true");
                });
    }

    /**
     * A checkpoint without a recorded order still records the steps of its run, on which the order may depend. Computing the order
     * for that many steps could need tables as large as memory, so a different number of steps counts as a conflict.
     */
    private static Optional<String> conflictOfOtherSteps(
            RunConfiguration configuration, SampleSet samples, Map<String, Object> values) {
        long steps = configuration.training().steps();
        if (samples.order().isEmpty()
                || !(values.get("configuration") instanceof Map<?, ?> saved)
                || !(saved.get("training") instanceof Map<?, ?> training)
                || !(training.get("steps") instanceof Number before)
                || before.longValue() == steps) {
            return Optional.empty();
        }
        return Optional.of("training.steps: " + steps
                + " may continue with other samples: the checkpoint does not record their order, which may depend on "
                + "the steps of its run; add --set training.steps=" + before);
    }
}
