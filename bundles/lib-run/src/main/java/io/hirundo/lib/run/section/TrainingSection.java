package io.hirundo.lib.run.section;

import io.hirundo.lib.engine.step.StepRequest;
import io.hirundo.lib.run.change.Changeable;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.model.layer.Recompute;
import io.hirundo.strategy.Setting;

/** Length of the training and batch sizes. */
public record TrainingSection(
        @Setting(value = "Optimizer steps of the run", min = 1, max = 1e12, required = true)
        long steps,

        @Setting(value = "Tokens per sequence", min = 1, max = SizeLimits.SEQUENCE_TOKENS, required = true)
        int sequenceTokens,

        @Setting(value = "Sequences per microbatch and data-parallel rank", min = 1, max = SizeLimits.SEQUENCES)
        int microBatch,

        @Setting(
                value = "Sequences per step, over all ranks; a multiple of microBatch times mesh.data",
                min = 1,
                max = SizeLimits.SEQUENCES,
                required = true)
        int globalBatch,

        @Setting(value = "Largest global gradient norm; gradients above it are scaled down; 0 for no limit", min = 0)
        @Changeable(RunPart.STEP)
        double clipNorm,

        @Setting("Activation checkpointing: activations that the backward pass recomputes") @Changeable(RunPart.STEP)
        Recompute recompute,

        @Setting(
                value =
                        "Steps of the learning-rate schedule, after which its last rate stays; 0 for the steps that the run has when it begins, which"
                                + " an extended run keeps",
                min = 0,
                max = 1e12)
        long scheduleSteps) {

    /** What the run wants of its steps. */
    public StepRequest step() {
        return new StepRequest(sequenceTokens, microBatch, globalBatch, clipNorm, recompute);
    }

    /** The defaults. */
    public TrainingSection() {
        this(0, 0, 1, 0, 1.0, Recompute.NONE);
    }

    /** The learning-rate schedule has the steps of the run. */
    public TrainingSection(
            long steps, int sequenceTokens, int microBatch, int globalBatch, double clipNorm, Recompute recompute) {
        this(steps, sequenceTokens, microBatch, globalBatch, clipNorm, recompute, 0);
    }
}
