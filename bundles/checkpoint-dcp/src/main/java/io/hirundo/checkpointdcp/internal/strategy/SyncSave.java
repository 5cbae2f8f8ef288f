package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.save.Committer;
import io.hirundo.checkpointdcp.internal.save.DataFilePaths;
import io.hirundo.checkpointdcp.internal.save.RankPart;
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
 * Saves that have ended when {@link #save} returns: rank 0 creates a folder, all ranks write into it, and rank 0 commits. Barriers
 * separate these phases. Every rank reaches them, also after a failure, so that no rank waits for one that has failed. Rank 0 learns of
 * a failure by the missing part file, and the other ranks by the missing checkpoint.
 */
public final class SyncSave implements SaveStrategy {
    /** The result of a save. */
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
    private int saveCount;

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

    /** Throws exceptions of the device and of an invalid state; failures of storage are reported by the result. */
    @Override
    public PendingSave save(TrainingState state) {
        var attempt = new SaveAttempt(world, store, state.step());
        attempt.begin(saveCount++, true);
        attempt.runUnlessFailed(() -> write(attempt, state));
        attempt.allRanks().barrier();
        if (attempt.isRankZero()) {
            attempt.commit(committer);
            attempt.discardFailed();
        }
        attempt.allRanks().barrier();
        if (!attempt.isRankZero()) {
            attempt.findSaved();
        }
        return resultOf(attempt);
    }

    private void write(SaveAttempt attempt, TrainingState state) throws IOException {
        plan = RankPart.planOf(state, plan, chunkBytes);
        RankPart part = RankPart.of(world.rank(), state, plan);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(Math.min(chunkBytes, plan.fileBytes()), DataFile.ALIGNMENT_BYTES);
            var paths = DataFilePaths.onStorage(attempt.folder(), world.rank());
            writer.write(attempt.folder(), paths, part, new StagedWindows(state, buffer));
        }
    }

    /** Stages one window after the other in the same buffer, so that host memory does not grow with the tensors. */
    private final class StagedWindows implements Window.Source {
        private final TrainingState state;
        private final MemorySegment buffer;
        private long nextBegin;

        StagedWindows(TrainingState state, MemorySegment buffer) {
            this.state = state;
            this.buffer = buffer;
        }

        @Override
        public Window next() {
            long begin = nextBegin;
            if (begin == plan.fileBytes()) {
                return null;
            }
            MemorySegment window = buffer.asSlice(0, Math.min(buffer.byteSize(), plan.fileBytes() - begin));
            staging.fill(plan, state.shards(), begin, window);
            nextBegin += window.byteSize();
            return new Window(begin, window, false, () -> {});
        }
    }

    private static PendingSave resultOf(SaveAttempt attempt) {
        return switch (attempt.failure()) {
            case null -> new Ended(attempt.saved(), null);
            case IOException _, CheckpointException _ -> new Ended(null, attempt.exception());
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(attempt.failure());
        };
    }

    /** Does nothing: no save is in progress between calls. */
    @Override
    public void close() {}
}
