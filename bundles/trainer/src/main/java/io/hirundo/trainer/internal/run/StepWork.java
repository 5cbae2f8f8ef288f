package io.hirundo.trainer.internal.run;

import io.hirundo.model.ModelSpec;
import io.hirundo.trainer.internal.config.TrainingSection;

/**
 * What a step does, of all ranks.
 *
 * @param modelFlops of the model's products, once
 */
record StepWork(long tokens, double modelFlops) {
  static StepWork of(ModelSpec model, TrainingSection training) {
    return new StepWork(
        (long) training.globalBatch() * training.sequenceTokens(),
        FlopCount.ofStep(model, training.globalBatch(), training.sequenceTokens()));
  }
}
