package io.hirundo.trainer.internal.config;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.util.List;

/** When the training state is saved, and how. */
public record CheckpointSection(
    @Setting(value = "How the training state is written; null for never", nullable = true) @ChoiceOf(CheckpointStrategy.class) Choice strategy,
    @Setting(value = "Steps from one checkpoint to the next; 0 for none on the way", min = 0) long everySteps,
    @Setting(value = "Seconds after a checkpoint, or the begin, after which the step that is being done is saved; 0 for never", min = 0)
        long everySeconds,
    @Setting("Whether the state is saved after the last step, and when the user ends the run") boolean atEnd,
    @Setting("What --resume does where the newest checkpoint is damaged: fail, naming the newest good one, or go on from that")
        OnDamage onDamage,
    @Setting("Names of tensors that a checkpoint may lack when --resume takes it, * for any letters; they keep their initial values")
        List<String> allowMissing,
    @Setting("Names of tensors that a checkpoint may have and the run has not, * for any letters; --resume leaves them out")
        List<String> allowUnexpected,
    @Setting("Where each checkpoint is copied to in the background, and --resume fetches it from; null for nowhere")
        @ChoiceOf(CheckpointStore.class)
        Choice store,
    @Setting(value = "Copies that the store keeps; 0 for all", min = 0) int keepCopies) {
  public CheckpointSection {
    allowMissing = List.copyOf(allowMissing);
    allowUnexpected = List.copyOf(allowUnexpected);
  }

  /** The defaults. */
  public CheckpointSection() {
    this(Choice.of("sync"), 0, 0, true, OnDamage.FAIL, List.of(), List.of(), null, 3);
  }
}
