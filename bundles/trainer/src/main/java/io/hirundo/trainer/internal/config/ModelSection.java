package io.hirundo.trainer.internal.config;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.model.Architecture;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;

/** The model that is trained: a new one of an architecture, or a given one that is trained on. */
public record ModelSection(
    @Setting("Model family and sizes of a new model; left out where from is given") @ChoiceOf(Architecture.class)
        Choice architecture,
    @Setting("Folder of a model to start from; left out for a new model") String from,
    @Setting(
            value = "Format that from is read in and that the trained model is written in; null for neither",
            nullable = true)
        @ChoiceOf(ModelFormat.class)
        Choice format,
    @Setting("Whether the trained model is written into the run directory") boolean export) {

  /** The defaults. */
  public ModelSection() {
    this(null, null, Choice.of("huggingface"), true);
  }
}
