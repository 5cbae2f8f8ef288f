package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import java.io.IOException;

/** A place for checkpoints, and what makes one there. */
public interface Tier {
    CheckpointStore store();

    /** For rank 0. */
    Committer committer();

    /**
     * Agrees with the other ranks where data go. The rank's thread; every rank calls this once in a save, also where its attempt has
     * failed.
     *
     * @param fileBytes of the rank's data file
     */
    SaveAssignment handOver(SaveAttempt attempt, long fileBytes);

    /** The writer's thread: a save has become a checkpoint, so that others may go. */
    void saved(CheckpointInfo checkpoint) throws IOException;
}
