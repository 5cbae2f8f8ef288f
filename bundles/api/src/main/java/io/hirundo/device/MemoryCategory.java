package io.hirundo.device;

/** What memory is used for. Every allocation has exactly one category. */
public enum MemoryCategory {
    WEIGHTS,
    GRADIENTS,
    OPTIMIZER,
    ACTIVATIONS,
    COMMUNICATION,
    /** Scratch memory of kernels, the tensors of a batch, and control messages between ranks. */
    WORKSPACE
}
