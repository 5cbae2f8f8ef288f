package io.hirundo.lib.run.section;

import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.lib.run.change.Changeable;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;

/** Training data and tokenizer. */
public record DataSection(
        @Setting(value = "Where samples come from", required = true)
        @ChoiceOf(DataSource.class)
        @Changeable(RunPart.TRAINING_DATA)
        Choice source,

        @Setting("Turns text into tokens; exported with the model. Generating text needs it") @ChoiceOf(Tokenizer.class)
        Choice tokenizer,

        @Setting(
                "Whether --resume may use another order of samples than the checkpoint's: some samples repeat, others never come")
        boolean allowOrderChange,

        @Setting(
                "License of the training data, for the model card of the trained model; by default what the datasets record")
        String license) {

    /** The defaults. */
    public DataSection() {
        this(null, null, false, null);
    }
}
