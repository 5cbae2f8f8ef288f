package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import java.nio.file.Path;

/** Checkpoints in the run's folder on storage: each rank writes one file, and sends nothing. */
public record StorageTier(int rank, CheckpointStore store, Committer committer) implements Tier {
    @Override
    public SaveAssignment assign(SaveAttempt attempt, long fileBytes) {
        Path folder = attempt.folder();
        return SaveAssignment.withoutTransfer(folder == null ? null : DataFilePaths.onStorage(folder, rank));
    }

    /** Does nothing: the committer of rank 0 deletes older checkpoints. */
    @Override
    public void deleteOlderThan(CheckpointInfo checkpoint) {}
}
