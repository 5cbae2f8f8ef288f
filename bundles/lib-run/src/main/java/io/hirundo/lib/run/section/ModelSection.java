package io.hirundo.lib.run.section;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.model.Architecture;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;

/** The model to train: a new one of an architecture, or an existing one to continue. */
public record ModelSection(
        @Setting("Model family and sizes of a new model; not together with from") @ChoiceOf(Architecture.class)
        Choice architecture,

        @Setting("Folder of a model to start from; not together with architecture")
        String from,

        @Setting(
                value = "Format of from, and of the exported model unless exportFormat is given; null for neither",
                nullable = true)
        @ChoiceOf(ModelFormat.class)
        Choice format,

        @Setting("Format of the exported model; default: that of format") @ChoiceOf(ModelFormat.class)
        Choice exportFormat,

        @Setting("Whether the trained model is exported to the run directory")
        boolean export,

        @Setting(
                "Data type of the exported weights: auto for bf16 if the precision computes with BF16 activations, otherwise that of the"
                        + " parameters; fp32; or bf16, to which FP32 parameters are rounded to nearest even")
        ExportDtype exportDtype,

        @Setting(
                "License of the trained model as the Hugging Face Hub names it, apache-2.0 for instance, for its model card; left out for"
                        + " the license in the model card of from")
        String license,

        @Setting(
                value =
                        "Largest difference between a probe's loss and the loss computed from the model files on load and export, as a"
                                + " fraction of the logits' standard deviation; a precision adds its own GEMM error bound; 0 for no comparison",
                min = 0)
        double parityTolerance) {
    /** Loose enough for BF16, tight enough to notice a tensor in the wrong place. */
    private static final double DEFAULT_TOLERANCE = 0.05;

    /** The defaults. */
    public ModelSection() {
        this(null, null, Choice.of("huggingface"), null, true, ExportDtype.AUTO, null, DEFAULT_TOLERANCE);
    }

    /** The format of the exported model; null for no export. */
    public Choice written() {
        return exportFormat == null ? format : exportFormat;
    }
}
