package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;

/** Checkpoints on storage. */
public record StorageTier(int rank, CheckpointStore store, Committer committer) implements Tier {
    @Override
    public SaveAssignment handOver(SaveAttempt attempt, long fileBytes) {
        return SaveAssignment.toNobody(attempt.folder() == null ? null : Placement.onStorage(attempt.folder(), rank));
    }

    /** Rank 0 deletes what need not be kept. */
    @Override
    public void saved(CheckpointInfo checkpoint) {}
}
