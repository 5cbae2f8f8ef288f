package __package__;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;

/**
 * One folder per checkpoint, {@code step-N}, with one file per rank. Training waits during a save; a faster store copies the tensors
 * first and writes on a thread of its own.
 */
record __Name__Store(__Name__Options options) implements CheckpointStrategy {
    @Override
    public CheckpointSession open(CheckpointContext context) {
        return new __Name__Session(context, options.keep());
    }
}
