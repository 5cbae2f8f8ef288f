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
            value = "Format that from is read in, and that the trained model is written in without an exportFormat; null for neither",
            nullable = true)
        @ChoiceOf(ModelFormat.class)
        Choice format,
    @Setting("Format that the trained model is written in; left out for that of format") @ChoiceOf(ModelFormat.class)
        Choice exportFormat,
    @Setting("Whether the trained model is written into the run directory") boolean export,
    @Setting("Data type of the exported weights: auto for bf16 if the precision computes with BF16 activations, otherwise that of the"
            + " parameters; fp32; or bf16, to which FP32 parameters are rounded to nearest even")
        ExportDtype exportDtype,
    @Setting("License of the trained model as the Hugging Face Hub names it, apache-2.0 for instance, for its model card; left out for"
            + " the license in the model card of from")
        String license,
    @Setting(
            value =
                "How far a probe's loss may be from what the files mean that the model is loaded from or written to, as a part of"
                    + " the standard deviation of its logits; a precision that says how far off its products may be adds that; 0 for"
                    + " no comparison",
            min = 0)
        double parityTolerance) {
  /** Wide enough for BF16, narrow enough for a tensor in the wrong place. */
  private static final double DEFAULT_TOLERANCE = 0.05;

  /** The defaults. */
  public ModelSection() {
    this(null, null, Choice.of("huggingface"), null, true, ExportDtype.AUTO, null, DEFAULT_TOLERANCE);
  }

  /** What the trained model is written in; null for nothing. */
  public Choice written() {
    return exportFormat == null ? format : exportFormat;
  }
}
