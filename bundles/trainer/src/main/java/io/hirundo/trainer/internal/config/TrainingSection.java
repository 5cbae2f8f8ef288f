package io.hirundo.trainer.internal.config;

import io.hirundo.model.Recompute;
import io.hirundo.strategy.Setting;

/** Length of the training, and its batches. */
public record TrainingSection(
    @Setting(value = "Optimizer steps of the run", min = 1, max = 1e12, required = true) long steps,
    @Setting(value = "Tokens of a sequence", min = 1, max = SizeLimits.SEQUENCE_TOKENS, required = true) int sequenceTokens,
    @Setting(value = "Sequences that go through the model together", min = 1, max = SizeLimits.SEQUENCES) int microBatch,
    @Setting(
            value = "Sequences of a step, over all ranks; a multiple of microBatch times mesh.data",
            min = 1,
            max = SizeLimits.SEQUENCES,
            required = true)
        int globalBatch,
    @Setting(value = "Largest global gradient norm, larger ones are scaled down to it; 0 for no limit", min = 0)
        double clipNorm,
    @Setting("Activations that are computed again in the backward instead of being kept") Recompute recompute) {

  /** The defaults. */
  public TrainingSection() {
    this(0, 0, 1, 0, 1.0, Recompute.NONE);
  }
}
