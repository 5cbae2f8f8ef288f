package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;

/** When a save happens: what the strategies of this bundle differ in. Belongs to the rank's thread. */
public interface SaveStrategy extends AutoCloseable {
    /** As {@link io.hirundo.checkpoint.CheckpointSession#save}. */
    PendingSave save(TrainingState state);

    /** As {@link io.hirundo.checkpoint.CheckpointSession#saveDurably}. */
    default PendingSave saveDurably(TrainingState state) {
        return save(state);
    }

    /** Waits for saves under way. */
    @Override
    void close();
}
