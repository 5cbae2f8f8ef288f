package io.hirundo.trainer.internal.accounting;

import io.hirundo.model.ModelSpec;
import io.hirundo.trainer.internal.config.TrainingSection;

/**
 * What a step does, of all ranks.
 *
 * @param modelFlops of the model's products, once
 */
public record StepWork(long tokens, double modelFlops) {
  public static StepWork of(ModelSpec model, TrainingSection training) {
    return new StepWork(
        (long) training.globalBatch() * training.sequenceTokens(),
        FlopCount.ofStep(model, training.globalBatch(), training.sequenceTokens()));
  }
}
