package io.hirundo.lib.engine.accounting;

import io.hirundo.model.ModelSpec;

/**
 * The work of one step, summed over all ranks.
 *
 * @param modelFlops FLOPs of the model's GEMMs and attention ({@link FlopCount}), without recomputation
 */
public record StepWork(long tokens, double modelFlops) {
    public static StepWork of(ModelSpec model, int globalBatch, int sequenceTokens) {
        return new StepWork((long) globalBatch * sequenceTokens, FlopCount.ofStep(model, globalBatch, sequenceTokens));
    }
}
