package io.hirundo.lib.engine.pipeline;

/**
 * What a block costs its stage. Only ratios between blocks count.
 *
 * @param flops of a microbatch, forward and backward
 * @param stateBytes weights, gradients and optimizer state
 * @param savedBytes activations that a microbatch keeps for its backward pass
 */
public record BlockCost(double flops, double stateBytes, double savedBytes) {
    static final BlockCost NONE = new BlockCost(0, 0, 0);

    BlockCost plus(BlockCost other) {
        return new BlockCost(flops + other.flops, stateBytes + other.stateBytes, savedBytes + other.savedBytes);
    }
}
