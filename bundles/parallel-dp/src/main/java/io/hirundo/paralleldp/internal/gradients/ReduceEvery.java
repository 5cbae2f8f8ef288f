package io.hirundo.paralleldp.internal.gradients;

/** When ranks reduce gradients into the slices that they own. */
public enum ReduceEvery {
    /** After each backward of a block. A rank then has the complete gradients of two blocks at most, and sends as many times as it has microbatches. */
    MICROBATCH,

    /**
     * After a block's last backward of a step. A rank then accumulates the complete gradients of all blocks, and sends once. PyTorch's FSDP has this
     * as {@code set_requires_gradient_sync}, DDP as {@code no_sync}.
     */
    STEP
}
