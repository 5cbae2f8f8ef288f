package __package__;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;

/**
 * A folder a checkpoint, {@code step-N}, with a file a rank. The training waits while it is written; what is faster copies the
 * tensors first, and writes on a thread of its own.
 */
record __Name__Store(__Name__Options options) implements CheckpointStrategy {
  @Override
  public CheckpointSession open(CheckpointContext context) {
    return new __Name__Session(context, options.keep());
  }
}
