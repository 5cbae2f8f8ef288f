package io.hirundo.lib.engine.step;

/** Observes the results of a step on the rank's thread. An observed step is not part of a captured CUDA graph. */
public interface StepObserver {
    /** Observes nothing. */
    StepObserver NONE = new StepObserver() {
        @Override
        public void gradientsFinished() {}

        @Override
        public void weightsUpdated() {}
    };

    /** The gradients are reduced over ranks and not yet clipped. */
    void gradientsFinished();

    /** The optimizer's work is enqueued in the model's queue. */
    void weightsUpdated();
}
