package io.hirundo.trainer.internal.pipeline;

import io.hirundo.schedule.Action;

/** Sees to it that a block's weights are there when it works, and takes its gradients when they are found. */
public interface BlockWeights {
  void before(int block, Action.Kind kind);

  void after(int block, Action.Kind kind);

  /** The weight half of a block's backward is done, of the last microbatch or of an earlier one. */
  void gradientsFound(int block, boolean lastMicrobatch);
}
