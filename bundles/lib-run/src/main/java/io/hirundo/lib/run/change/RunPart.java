package io.hirundo.lib.run.change;

/** Parts of a training that runs, each built from settings and replaced between two steps when these change. */
public enum RunPart {
    /** GEMMs and dtypes of the layers. */
    PRECISION,
    /** The layers on the same parameters: schedule, tensor and context parallelism. */
    LAYOUT,
    /** The shards of parameters, with what gathers and reduces them. */
    DATA_PARALLEL,
    /** The update rule with its state. */
    OPTIMIZER,
    /** What each step reads without an object of its own: learning rate, clipping, recompute. */
    STEP,
    /** Training data. */
    TRAINING_DATA,
    /** Validation data. */
    EVALUATION_DATA,
    /** How state is saved. */
    CHECKPOINT,
    /** Remote copies of checkpoints. */
    STORE,
    /** Nothing that computes: the run reads the setting when it needs it, or tells listeners from then on. */
    NONE;

    /** Whether losses of later steps can differ after a change. */
    public boolean affectsLoss() {
        return switch (this) {
            case PRECISION, LAYOUT, DATA_PARALLEL, OPTIMIZER, STEP, TRAINING_DATA -> true;
            case EVALUATION_DATA, CHECKPOINT, STORE, NONE -> false;
        };
    }

    /**
     * Whether a run can close it and wait for a successor when the bundle of its strategy stops. Shards of parameters cannot be
     * closed: their bundle stays until a request moves them to another strategy.
     */
    public boolean canBeClosed() {
        return this != DATA_PARALLEL;
    }
}
