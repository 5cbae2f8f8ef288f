package io.hirundo.trainer.internal.checkpoint.value;

/** What a run takes from a checkpoint. */
public enum StartWith {
    /** Weights. */
    WEIGHTS,
    /** Weights, and the state of optimizer and precision. */
    OPTIMIZER,
    /** All: also step, place in the data, and learning-rate schedule. */
    DATA
}
