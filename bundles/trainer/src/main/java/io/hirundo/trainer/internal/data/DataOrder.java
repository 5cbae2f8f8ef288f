package io.hirundo.trainer.internal.data;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.data.SampleSet;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.util.Map;
import java.util.Optional;

/** Checks that samples which are read from a checkpoint on are those that its run would have read next. */
public final class DataOrder {
  /** Of the value of a checkpoint that names the order in which samples were read. */
  public static final String NAME = "dataOrder";

  private DataOrder() {}

  /**
   * Returns if the samples continue in the order of the checkpoint, or {@code data.allowOrderChange} allows others.
   *
   * @param configuration of the run that reads them
   * @param samples opened at the checkpoint's place in the data
   * @param values of the checkpoint
   * @throws ConfigurationException with the remedy
   */
  public static void require(RunConfiguration configuration, SampleSet samples, CheckpointInfo checkpoint, Map<String, Object> values) {
    if (configuration.data().allowOrderChange()) {
      return;
    }
    Optional<String> recorded = Optional.ofNullable(values.get(NAME)).map(Object::toString);
    samples
        .orderConflict(recorded)
        .or(() -> recorded.isEmpty() ? conflictOfOtherSteps(configuration, samples, values) : Optional.empty())
        .ifPresent(
            conflict -> {
              throw new ConfigurationException(
                  conflict + "; or accept that samples of " + checkpoint.path()
                      + " come again or never with --set data.allowOrderChange=true");
            });
  }

  /**
   * A checkpoint that does not record the order still records the steps of its run, on which the order may depend. Whether it does
   * could be told by making the order of that many steps, whose tables may be as large as memory: other steps are a conflict.
   */
  private static Optional<String> conflictOfOtherSteps(RunConfiguration configuration, SampleSet samples, Map<String, Object> values) {
    long steps = configuration.training().steps();
    if (samples.order().isEmpty()
        || !(values.get("configuration") instanceof Map<?, ?> saved)
        || !(saved.get("training") instanceof Map<?, ?> training)
        || !(training.get("steps") instanceof Number before)
        || before.longValue() == steps) {
      return Optional.empty();
    }
    return Optional.of(
        "training.steps: " + steps + " may continue with other samples: the checkpoint does not record their order, which may depend on "
            + "the steps of its run; add --set training.steps=" + before);
  }
}
