package io.hirundo.lib.run.section;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.lib.run.change.Changeable;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.util.List;

/** When and how the training state is saved. */
public record CheckpointSection(
        @Setting(value = "How the training state is saved; null for never", nullable = true)
        @ChoiceOf(CheckpointStrategy.class)
        @Changeable(RunPart.CHECKPOINT)
        Choice strategy,

        @Setting(value = "Steps between checkpoints; 0 for none before the end", min = 0)
        long everySteps,

        @Setting(
                value =
                        "Seconds since the last checkpoint, or the start, after which the run saves at the next step boundary; 0 for"
                                + " never",
                min = 0)
        long everySeconds,

        @Setting("Whether the run saves its state after the last step, and when the user stops it")
        boolean atEnd,

        @Setting(
                "What --resume does when the newest checkpoint is damaged: fail and name the newest good one, or continue from that"
                        + " one")
        OnDamage onDamage,

        @Setting(
                "Names of tensors that a checkpoint may lack on --resume, * for any letters; they keep their initial values")
        List<String> allowMissing,

        @Setting(
                "Names of tensors that a checkpoint may have and the run does not, * for any letters; --resume ignores them")
        List<String> allowUnexpected,

        @Setting(
                "Store that receives a copy of each checkpoint in the background, and that --resume fetches from; null for none")
        @ChoiceOf(CheckpointStore.class)
        @Changeable(RunPart.STORE)
        Choice store,

        @Setting(value = "Copies that the store keeps; 0 for all", min = 0) @Changeable(RunPart.STORE)
        int keepCopies) {
    /** What {@code --resume} does when the newest checkpoint cannot be loaded. */
    public enum OnDamage {
        /** The run does not start; the error names the newest good checkpoint. */
        FAIL,
        /** The run continues from the newest good checkpoint. */
        PREVIOUS
    }

    public CheckpointSection {
        allowMissing = List.copyOf(allowMissing);
        allowUnexpected = List.copyOf(allowUnexpected);
    }

    /** The defaults. */
    public CheckpointSection() {
        this(Choice.of("sync"), 0, 0, true, OnDamage.FAIL, List.of(), List.of(), null, 3);
    }
}
