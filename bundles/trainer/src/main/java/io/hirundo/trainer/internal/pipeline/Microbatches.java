package io.hirundo.trainer.internal.pipeline;

import io.hirundo.model.StepContext;

/** The microbatches of one rank's step. */
public interface Microbatches {
  /** Puts a microbatch on the device; called once for each. */
  StepContext open(int microbatch);

  /** Takes it off again. */
  void close(int microbatch);
}
