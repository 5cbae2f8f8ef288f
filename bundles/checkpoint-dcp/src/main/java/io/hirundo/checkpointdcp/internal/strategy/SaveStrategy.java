package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;

/** How state is saved: synchronously, in the background, or alternately to memory and storage. Used by the rank's thread alone. */
public interface SaveStrategy extends AutoCloseable {
    /** As {@link io.hirundo.checkpoint.CheckpointSession#save}. */
    PendingSave save(TrainingState state);

    /** As {@link io.hirundo.checkpoint.CheckpointSession#saveDurably}. */
    default PendingSave saveDurably(TrainingState state) {
        return save(state);
    }

    /** Waits for saves in progress. */
    @Override
    void close();
}
