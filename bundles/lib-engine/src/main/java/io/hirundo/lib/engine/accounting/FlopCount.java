package io.hirundo.lib.engine.accounting;

import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Tokens;

/**
 * Model FLOPs as the layers count them; the mask is causal, so half of the attention matrix counts.
 */
public final class FlopCount {
    private FlopCount() {}

    /** FLOPs of the forward and backward pass over {@code sequences} sequences. */
    public static double ofStep(ModelSpec model, long sequences, long sequenceTokens) {
        var tokens = Tokens.causal(sequences, sequenceTokens);
        double flops = 0;
        for (BlockSpec block : model.blocks()) {
            for (LayerSpec<?> layer : block.layers()) {
                flops += layer.modelFlops(tokens);
            }
        }
        return flops;
    }
}
