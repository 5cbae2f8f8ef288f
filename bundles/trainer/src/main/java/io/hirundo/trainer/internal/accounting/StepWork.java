package io.hirundo.trainer.internal.accounting;

import io.hirundo.model.ModelSpec;
import io.hirundo.trainer.internal.config.section.TrainingSection;

/**
 * The work of one step, summed over all ranks.
 *
 * @param modelFlops FLOPs of the model's GEMMs and attention ({@link FlopCount}), without recomputation
 */
public record StepWork(long tokens, double modelFlops) {
    public static StepWork of(ModelSpec model, TrainingSection training) {
        return new StepWork(
                (long) training.globalBatch() * training.sequenceTokens(),
                FlopCount.ofStep(model, training.globalBatch(), training.sequenceTokens()));
    }
}
