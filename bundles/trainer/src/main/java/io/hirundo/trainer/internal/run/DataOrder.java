package io.hirundo.trainer.internal.run;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.data.SampleSet;
import java.util.Map;
import java.util.Optional;

/** Checks that a run which continues from a checkpoint reads the samples that would have come next. */
final class DataOrder {
  /** Of the value of a checkpoint that names the order in which samples were read. */
  static final String NAME = "dataOrder";

  private final OpenRun run;

  DataOrder(OpenRun run) {
    this.run = run;
  }

  /**
   * Returns if the run, opened at the checkpoint's place in the data, continues in its order, or may do otherwise.
   *
   * @param values of the checkpoint
   * @throws ConfigurationException with the remedy
   */
  void require(CheckpointInfo checkpoint, Map<String, Object> values) {
    if (run.configuration().data().allowOrderChange()) {
      return;
    }
    SampleSet samples = run.data().get().samples();
    Optional<String> recorded = Optional.ofNullable(values.get(NAME)).map(Object::toString);
    samples
        .orderConflict(recorded)
        .or(() -> recorded.isEmpty() ? conflictOfOtherSteps(samples, values) : Optional.empty())
        .ifPresent(
            conflict -> {
              throw new ConfigurationException(
                  conflict + "; or accept that samples of " + checkpoint.path()
                      + " come again or never with --set data.allowOrderChange=true");
            });
  }

  /** A checkpoint that does not record the order still records the steps of its run, on which the order may depend. */
  private Optional<String> conflictOfOtherSteps(SampleSet samples, Map<String, Object> values) {
    long steps = run.configuration().training().steps();
    if (samples.order().isEmpty()
        || !(values.get("configuration") instanceof Map<?, ?> configuration)
        || !(configuration.get("training") instanceof Map<?, ?> training)
        || !(training.get("steps") instanceof Number before)
        || before.longValue() == steps) {
      return Optional.empty();
    }
    var request = RunData.request(run.configuration(), before.longValue());
    try (SampleSet then = run.strategies().data().source().open(request, run.data().begin())) {
      return samples.orderConflict(Optional.of(then.order()));
    }
  }
}
