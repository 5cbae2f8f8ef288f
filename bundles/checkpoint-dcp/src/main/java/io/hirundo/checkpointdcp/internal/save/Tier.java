package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import java.io.IOException;

/** Where checkpoints are saved, and how a save becomes one there. */
public interface Tier {
    CheckpointStore store();

    /** What rank 0 commits with. */
    Committer committer();

    /**
     * Assigns the files that this rank writes. Collective on the ranks' threads: every rank calls this once in each save, also where
     * its attempt has failed.
     *
     * @param fileBytes length of this rank's data file
     */
    SaveAssignment assign(SaveAttempt attempt, long fileBytes);

    /** Deletes data of older checkpoints that need not be retained. Called on the writer thread of each rank after a commit. */
    void deleteOlderThan(CheckpointInfo checkpoint) throws IOException;
}
