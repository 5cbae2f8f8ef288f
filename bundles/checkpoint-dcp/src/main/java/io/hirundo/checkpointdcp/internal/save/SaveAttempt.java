package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.checkpointdcp.internal.store.SaveFolders;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * One rank's progress through one save. The work is split into phases: once a phase has failed, the later ones are skipped. A rank
 * whose save has failed therefore still reaches every barrier and collective of the save, and no other rank waits for it. Used by one
 * thread at a time.
 */
public final class SaveAttempt {
    /** One phase of a save. */
    @FunctionalInterface
    public interface Phase {
        void run() throws IOException;
    }

    private final ProcessGroup allRanks;
    private final CheckpointStore store;
    private final long step;
    private Path folder;
    private CheckpointInfo saved;
    private Throwable failure;

    public SaveAttempt(World world, CheckpointStore store, long step) {
        this.allRanks = world.along(Axis.values());
        this.store = store;
        this.step = step;
    }

    /**
     * Rank 0 creates the folder of the save, and the other ranks find it by the save's number. Collective: every rank calls this on
     * its own thread.
     *
     * @param number of the save in this session, the same on all ranks
     * @param isOnlySave whether no other save is in progress
     */
    public void begin(int number, boolean isOnlySave) {
        String idEnd = "%08x".formatted(number);
        if (isRankZero()) {
            String id = "%08x".formatted(ThreadLocalRandom.current().nextInt()) + idEnd;
            runUnlessFailed(() -> folder = store.saves().begin(step, id, isOnlySave));
        }
        allRanks.barrier();
        if (!isRankZero()) {
            runUnlessFailed(() -> folder = store.saves().findBegun(step, idEnd));
        }
    }

    /** Runs a phase unless an earlier one has failed, and records its failure. */
    public void runUnlessFailed(Phase phase) {
        if (failure != null) {
            return;
        }
        try {
            phase.run();
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
    }

    /** The result of a phase; null where it or an earlier one has failed. */
    public <T> T computeUnlessFailed(Supplier<T> phase) {
        if (failure != null) {
            return null;
        }
        try {
            return phase.get();
        } catch (RuntimeException | Error e) {
            failure = e;
            return null;
        }
    }

    /** Rank 0, after all ranks have written: turns the folder into a checkpoint. */
    public void commit(Committer committer) {
        runUnlessFailed(() -> saved = committer.commit(folder, allRanks.size()).info());
    }

    /** The other ranks, after rank 0 has committed or failed: finds the checkpoint. */
    public void findSaved() {
        runUnlessFailed(() -> saved = store.saves().find(step, SaveFolders.idOf(folder)));
    }

    public boolean isRankZero() {
        return allRanks.rank() == 0;
    }

    public ProcessGroup allRanks() {
        return allRanks;
    }

    /** The folder of the save until it is committed; null where it could not be created or found. */
    public Path folder() {
        return folder;
    }

    /** Null unless the save has become a checkpoint. */
    public CheckpointInfo saved() {
        return saved;
    }

    /** The first failure; null while nothing has failed. */
    public Throwable failure() {
        return failure;
    }

    /** Deletes the folder of a failed save. */
    public void discardFailed() {
        if (failure == null || folder == null || !Files.exists(folder)) {
            return;
        }
        try {
            store.trash().files().deleteAll(folder);
        } catch (IOException e) {
            // The folder does not have the name of a checkpoint, so the next save or run removes it.
            failure.addSuppressed(e);
        }
    }

    /** Reports another rank's earlier failure as the reason; the failure on this rank may only follow from it. */
    public void setCause(CheckpointException earlier) {
        earlier.addSuppressed(failure);
        failure = earlier;
    }

    /** For the caller of the save, where storage or another rank has failed. */
    public CheckpointException exception() {
        return new CheckpointException(
                "the checkpoint of step " + step + " could not be written to " + store.directory() + ": " + reason()
                        + "; earlier ones are untouched: make room or mend the folder",
                failure);
    }

    /** The failure as a message. */
    public String reason() {
        return switch (failure) {
            case IOException e -> Reason.of(e);
            case CheckpointException e -> e.getMessage();
            default -> "it failed: " + Reason.of(failure);
        };
    }
}
