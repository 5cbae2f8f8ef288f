package io.hirundo.checkpointdcp.internal;

import io.hirundo.checkpoint.CheckpointInfo;

/** Checkpoints on storage. */
record StorageTier(int rank, CheckpointStore store, Committer committer) implements Tier {
  @Override
  public Handover handOver(SaveAttempt attempt, long fileBytes) {
    return Handover.toNobody(attempt.folder() == null ? null : Placement.onStorage(attempt.folder(), rank));
  }

  /** Rank 0 deletes what need not be kept. */
  @Override
  public void saved(CheckpointInfo checkpoint) {}
}
