package io.hirundo.modelllama.internal;

import io.hirundo.model.Recompute;
import io.hirundo.model.Saved;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Tensor;

/** What becomes of an activation that the forward has no more use for. */
final class Keep {
  private Keep() {}

  /** Keeps what only costs memory bandwidth to make again, unless that is what the run wants. */
  static void unlessSelective(StepContext context, Saved saved, String name, Tensor tensor) {
    always(context.recompute() == Recompute.SELECTIVE ? null : saved, name, tensor);
  }

  /** Keeps it for the backward, or closes it where none will come. */
  static void always(Saved saved, String name, Tensor tensor) {
    if (saved == null) {
      tensor.close();
    } else {
      saved.put(name, tensor);
    }
  }
}
