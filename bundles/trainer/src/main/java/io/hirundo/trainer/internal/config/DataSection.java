package io.hirundo.trainer.internal.config;

import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;

/** What is learned from. */
public record DataSection(
    @Setting(value = "Where samples come from", required = true) @ChoiceOf(DataSource.class) Choice source,
    @Setting("Turns text into tokens; written with the model. Without it there is no generation of text")
        @ChoiceOf(Tokenizer.class)
        Choice tokenizer,
    @Setting("Whether --resume may continue in another order of samples than the checkpoint's: some come again, others never")
        boolean allowOrderChange,
    @Setting("License of the training data, for the model card of the trained model; by default what the datasets record") String license) {

  /** The defaults. */
  public DataSection() {
    this(null, null, false, null);
  }
}
