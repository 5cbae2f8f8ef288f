package io.hirundo.lib.engine.pipeline;

import io.hirundo.schedule.Action;

/**
 * Hooks around each block: make the weights of the block available before it runs, and receive its gradients afterwards (FSDP gather, free
 * and reduce-scatter).
 */
public interface BlockWeights {
    void before(int block, Action.Kind kind);

    void after(int block, Action.Kind kind);

    /**
     * Called when the weight gradients of a block are complete for a microbatch. {@code lastMicrobatch} is false for all but the last
     * microbatch of the step.
     */
    void gradientsFound(int block, boolean lastMicrobatch);
}
