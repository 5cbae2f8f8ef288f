package io.hirundo.trainer.internal.step;

/** Looks at what a step has found, on the rank's thread. A step that is observed is in no repetition. */
public interface StepObserver {
  /** Nobody looks. */
  StepObserver NONE =
      new StepObserver() {
        @Override
        public void gradientsFinished() {}

        @Override
        public void weightsUpdated() {}
      };

  /** Gradients are summed over ranks, and not yet clipped. */
  void gradientsFinished();

  /** The optimizer's work is in the model's queue. */
  void weightsUpdated();
}
