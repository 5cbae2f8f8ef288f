package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.save.Committer;
import io.hirundo.checkpointdcp.internal.save.Placement;
import io.hirundo.checkpointdcp.internal.save.RankState;
import io.hirundo.checkpointdcp.internal.save.RankWriter;
import io.hirundo.checkpointdcp.internal.save.SaveAttempt;
import io.hirundo.checkpointdcp.internal.save.ShardPlan;
import io.hirundo.checkpointdcp.internal.save.Window;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.mesh.World;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Saves that have ended when {@link #save} returns: rank 0 makes a folder, all write into it, rank 0 commits. Between these
 * steps there is a barrier, which every rank reaches whatever happens to it, so that none waits for one that has failed. What
 * ranks tell each other goes through files in that folder.
 */
public final class SyncSave implements SaveStrategy {
    /** A save that has ended. */
    private record Ended(CheckpointInfo checkpoint, CheckpointException failure) implements PendingSave {
        @Override
        public boolean isDurable() {
            return failure == null;
        }

        @Override
        public boolean hasEnded() {
            return true;
        }

        @Override
        public CheckpointInfo awaitDurable() {
            if (failure != null) {
                throw failure;
            }
            return checkpoint;
        }
    }

    private final World world;
    private final CheckpointStore store;
    private final Staging staging;
    private final RankWriter writer;
    private final Committer committer;
    private final int chunkBytes;
    private ShardPlan plan;
    private int saves;

    public SyncSave(
            World world,
            CheckpointStore store,
            Staging staging,
            RankWriter writer,
            Committer committer,
            int chunkBytes) {
        this.world = world;
        this.store = store;
        this.staging = staging;
        this.writer = writer;
        this.committer = committer;
        this.chunkBytes = chunkBytes;
    }

    /** Exceptions of devices and of the caller's making are thrown; those of storage are the result's. */
    @Override
    public PendingSave save(TrainingState state) {
        var attempt = new SaveAttempt(world, store, state.step());
        attempt.begin(saves++, true);
        attempt.attempt(() -> write(attempt, state));
        attempt.all().barrier();
        if (attempt.isFirst()) {
            attempt.commit(committer);
            attempt.discardFailed();
        }
        attempt.all().barrier();
        if (!attempt.isFirst()) {
            attempt.findSaved();
        }
        return ended(attempt);
    }

    private void write(SaveAttempt attempt, TrainingState state) throws IOException {
        plan = RankState.planOf(state, plan, chunkBytes);
        RankState share = RankState.of(world.rank(), state, plan);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(Math.min(chunkBytes, plan.fileBytes()), DataFile.ALIGNMENT_BYTES);
            var placement = Placement.onStorage(attempt.folder(), world.rank());
            writer.write(attempt.folder(), placement, share, windows(state, memory));
        }
    }

    /** One after the other in the same memory: host memory does not grow with the tensors. */
    private Window.Source windows(TrainingState state, MemorySegment memory) {
        long[] next = {0};
        ShardPlan now = plan;
        return () -> {
            long begin = next[0];
            if (begin == now.fileBytes()) {
                return null;
            }
            MemorySegment window = memory.asSlice(0, Math.min(memory.byteSize(), now.fileBytes() - begin));
            staging.fill(now, state.shards(), begin, window);
            next[0] += window.byteSize();
            return new Window(begin, window, false, () -> {});
        };
    }

    private static PendingSave ended(SaveAttempt attempt) {
        return switch (attempt.failure()) {
            case null -> new Ended(attempt.saved(), null);
            case IOException _, CheckpointException _ -> new Ended(null, attempt.exception());
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(attempt.failure());
        };
    }

    /** Nothing is under way between calls. */
    @Override
    public void close() {}
}
