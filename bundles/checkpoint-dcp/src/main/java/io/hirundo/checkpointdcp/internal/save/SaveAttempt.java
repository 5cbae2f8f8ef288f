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

/**
 * One rank's part in one save: how far it has come, or what stopped it. Once something has failed, nothing more is attempted. One
 * thread at a time.
 */
public final class SaveAttempt {
    /** A piece of the work. */
    @FunctionalInterface
    public interface Phase {
        void run() throws IOException;
    }

    private final ProcessGroup all;
    private final CheckpointStore store;
    private final long step;
    private Path begun;
    private CheckpointInfo saved;
    private Throwable failure;

    public SaveAttempt(World world, CheckpointStore store, long step) {
        this.all = world.along(Axis.values());
        this.store = store;
        this.step = step;
    }

    /**
     * Rank 0 makes a folder, and all find it. All ranks call this, on their own threads.
     *
     * @param number of the save in this session, the same on all ranks
     * @param isAlone whether no other save is under way
     */
    public void begin(int number, boolean isAlone) {
        String id = "%08x%08x".formatted(ThreadLocalRandom.current().nextInt(), number);
        attempt(() -> begun = isFirst() ? store.saves().begin(step, id, isAlone) : null);
        all.barrier();
        attempt(() -> begun = isFirst() ? begun : store.saves().findBegun(step, id.substring(8)));
    }

    public void attempt(Phase phase) {
        if (failure != null) {
            return;
        }
        try {
            phase.run();
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
    }

    /** What rank 0 does when all have written. */
    public void commit(Committer committer) {
        attempt(() -> saved = committer.commit(begun, all.size()).info());
    }

    /** What the others do when rank 0 has had its turn. */
    public void findSaved() {
        attempt(() -> saved = store.saves().find(step, SaveFolders.idOf(begun)));
    }

    public boolean isFirst() {
        return all.rank() == 0;
    }

    public ProcessGroup all() {
        return all;
    }

    /** Null where there is none. */
    public Path folder() {
        return begun;
    }

    /** Null until all has gone well. */
    public CheckpointInfo saved() {
        return saved;
    }

    /** Null while nothing has failed. */
    public Throwable failure() {
        return failure;
    }

    /** Deletes what the save has left, if it failed. */
    public void discardFailed() {
        if (failure == null || begun == null || !Files.exists(begun)) {
            return;
        }
        try {
            store.trash().files().deleteAll(begun);
        } catch (IOException e) {
            // It has no checkpoint's name, and the next save or run removes it.
            failure.addSuppressed(e);
        }
    }

    /** What failed is due to this. */
    public void blame(CheckpointException cause) {
        cause.addSuppressed(failure);
        failure = cause;
    }

    /** For the caller of the save; of storage, or of another rank's failure. */
    public CheckpointException exception() {
        return new CheckpointException(
                "the checkpoint of step " + step + " could not be written to " + store.directory() + ": " + reason()
                        + "; earlier ones are untouched: make room or mend the folder",
                failure);
    }

    /** What stopped it, in words. */
    public String reason() {
        return switch (failure) {
            case IOException e -> Reason.of(e);
            case CheckpointException e -> e.getMessage();
            default -> "it failed: " + Reason.of(failure);
        };
    }
}
