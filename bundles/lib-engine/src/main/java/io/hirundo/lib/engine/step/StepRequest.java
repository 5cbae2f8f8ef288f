package io.hirundo.lib.engine.step;

import io.hirundo.lib.engine.accounting.StepWork;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.layer.Recompute;

/**
 * What a run wants of its steps.
 *
 * @param sequenceTokens tokens of a sequence
 * @param microBatch sequences of a microbatch on each data-parallel rank
 * @param globalBatch sequences of a step, of all ranks
 * @param clipNorm largest global norm of the gradient; 0 for no limit
 * @param recompute activations that the backward pass recomputes
 */
public record StepRequest(int sequenceTokens, int microBatch, int globalBatch, double clipNorm, Recompute recompute) {
    /** Tokens and FLOPs of a step of this model. */
    public StepWork work(ModelSpec model) {
        return StepWork.of(model, globalBatch, sequenceTokens);
    }
}
