package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.collective.Barrier;
import io.hirundo.checkpointdcp.internal.collective.PeerTransfer;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.save.RankPart;
import io.hirundo.checkpointdcp.internal.save.RankWriter;
import io.hirundo.checkpointdcp.internal.save.SaveAssignment;
import io.hirundo.checkpointdcp.internal.save.SaveAttempt;
import io.hirundo.checkpointdcp.internal.save.ShardPlan;
import io.hirundo.checkpointdcp.internal.save.Tier;
import io.hirundo.checkpointdcp.internal.save.Window;
import io.hirundo.mesh.World;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves that block training only while its state is copied to staging buffers in host memory. One writer thread per rank writes the
 * buffers to files and commits; it calls no collective, because collectives are ordered on the rank's thread. Saves finish in the
 * order in which they began.
 *
 * <p>A save runs in this order. On the rank's thread ({@link #save}): rank 0 creates a folder; each rank describes its part
 * ({@link RankPart}); the tier assigns data files; {@link #stage} fills staging buffers. On the writer thread
 * ({@link AsyncSave#finish}): each rank writes its files, and rank 0 waits for all and commits.
 */
public final class AsyncSaveStrategy implements SaveStrategy {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncSaveStrategy.class);
    private static final int MAX_SAVES_IN_PROGRESS = 2;

    private final CheckpointContext context;
    private final World world;
    private final Tier storage;
    private final Staging staging;
    private final StagingPool pool;
    private final RankWriter writer;
    private final FileOperations files;
    private final SaveTimeout timeout;
    private final Semaphore saveSlots = new Semaphore(MAX_SAVES_IN_PROGRESS);
    private final ExecutorService writerThread;
    private ShardPlan plan;
    private int saveCount;

    /** {@code storage}: the tier of saves that name no other. */
    public AsyncSaveStrategy(
            CheckpointContext context,
            Tier storage,
            StagingPool pool,
            RankWriter writer,
            FileOperations files,
            SaveTimeout timeout) {
        this.context = context;
        this.world = context.world();
        this.storage = storage;
        this.staging = new Staging(context.device(), context.queue());
        this.pool = pool;
        this.writer = writer;
        this.files = files;
        this.timeout = timeout;
        // The executor starts its thread with the first save.
        this.writerThread = Executors.newSingleThreadExecutor(Thread.ofPlatform()
                .daemon()
                .name("hirundo-checkpoint-" + world.rank())
                .factory());
    }

    @Override
    public PendingSave save(TrainingState state) {
        return save(state, storage);
    }

    /**
     * Collective. Throws exceptions of the device and of an invalid state; failures of storage and of other ranks are reported by the
     * result.
     */
    PendingSave save(TrainingState state, Tier tier) {
        saveSlots.acquireUninterruptibly();
        var attempt = new SaveAttempt(world, tier.store(), state.step());
        attempt.begin(saveCount++, saveSlots.availablePermits() == MAX_SAVES_IN_PROGRESS - 1);
        boolean hasFolder = attempt.failure() == null;
        RankPart part = attempt.computeUnlessFailed(() -> describe(state));
        Throwable failureOfState = hasFolder ? attempt.failure() : null;
        SaveAssignment assignment = tier.assign(attempt, part == null ? 0 : plan.fileBytes());

        // From here the writer thread uses the attempt.
        boolean canStage = attempt.failure() == null;
        var save = new AsyncSave(
                attempt,
                part,
                assignment.files(),
                new WriterCoordination(attempt.folder(), world.rank(), files, timeout));
        writerThread.execute(() -> writeAndCommit(save, tier));
        try {
            if (canStage) {
                stage(save, state, assignment);
            }
        } catch (RuntimeException | Error failure) {
            save.failStaging(failure);
            throw failure;
        } finally {
            save.endStaging();
        }
        if (failureOfState instanceof RuntimeException invalidState) {
            throw invalidState;
        }
        return save;
    }

    private RankPart describe(TrainingState state) {
        plan = RankPart.planOf(state, plan, pool.bufferBytes());
        return RankPart.of(world.rank(), state, plan);
    }

    private void writeAndCommit(AsyncSave save, Tier tier) {
        try {
            save.finish(writer, tier);
        } finally {
            saveSlots.release();
        }
    }

    /**
     * Stages this rank's data file buffer by buffer, and at the same time transfers files between peers as assigned. A transfer runs
     * to its end even if the save has failed on this rank, because the other rank waits for every buffer.
     */
    private void stage(AsyncSave save, TrainingState state, SaveAssignment assignment) {
        int bufferBytes = pool.bufferBytes();
        try (var transfer = new PeerTransfer(
                world, context.device(), context.queue(), bufferBytes, assignment.sendTo(), assignment.receiveFrom())) {
            long end = Math.max(plan.fileBytes(), assignment.receivedBytes());
            for (long begin = 0; begin < end; begin += bufferBytes) {
                long ownBytes = Math.clamp(plan.fileBytes() - begin, 0, bufferBytes);
                long receivedBytes = Math.clamp(assignment.receivedBytes() - begin, 0, bufferBytes);
                if (ownBytes > 0 && (assignment.sends() || !save.isAbandoned())) {
                    stageOwnData(save, state, begin, ownBytes, assignment.sends() ? transfer : null);
                }
                transfer.sendAndReceive(assignment.sends() ? ownBytes : 0, receivedBytes);
                if (receivedBytes > 0) {
                    stagePeerData(save, begin, receivedBytes, transfer);
                }
            }
        }
    }

    /** {@code transfer}: gets the bytes, too; null where the peer's copy needs no transfer. */
    private void stageOwnData(AsyncSave save, TrainingState state, long begin, long bytes, PeerTransfer transfer) {
        MemorySegment buffer = takeBuffer(save);
        var window = new Window(begin, buffer.asSlice(0, bytes), false, () -> pool.give(buffer));
        fillAndAdd(save, window, () -> {
            staging.fill(plan, state.shards(), begin, window.bytes());
            if (transfer != null) {
                transfer.upload(buffer, bytes);
            }
        });
    }

    private void stagePeerData(AsyncSave save, long begin, long bytes, PeerTransfer transfer) {
        MemorySegment buffer = takeBuffer(save);
        var window = new Window(begin, buffer.asSlice(0, bytes), true, () -> pool.give(buffer));
        fillAndAdd(save, window, () -> transfer.download(buffer, bytes));
    }

    /** Where the pool is empty, the writer must begin now: it returns buffers. */
    private MemorySegment takeBuffer(AsyncSave save) {
        MemorySegment buffer = pool.tryTake();
        if (buffer == null) {
            save.allowWriting();
            buffer = pool.take();
        }
        return buffer;
    }

    /** Adds the window to the writer's queue once it is filled; returns its buffer to the pool where filling fails. */
    private static void fillAndAdd(AsyncSave save, Window window, Runnable filling) {
        boolean isFilled = false;
        try {
            filling.run();
            isFilled = true;
        } finally {
            if (!isFilled) {
                window.close();
            }
        }
        save.add(window);
    }

    @Override
    public void close() {
        closeOnAllRanks();
    }

    /** As {@link #close}; returns whether all ranks have finished their saves, which is not known after a failed training. */
    boolean closeOnAllRanks() {
        boolean areAllHere = Barrier.of(world);
        if (!areAllHere) {
            timeout.shorten();
        }
        awaitWriter();
        pool.close();
        areAllHere = areAllHere && Barrier.of(world);
        // After the second barrier, every rank has read why a save failed, so rank 0 may delete the folder that says
        // it.
        if (areAllHere && world.rank() == 0) {
            try {
                storage.store().trash().removeLeftovers();
            } catch (IOException e) {
                LOG.warn("what failed saves left could not be removed: {}", Reason.of(e));
            }
        }
        return areAllHere;
    }

    /** Restores an interrupt at the end only: earlier, it would close the files that the writer has open. */
    private void awaitWriter() {
        writerThread.shutdown();
        boolean wasInterrupted = false;
        boolean hasTerminated = false;
        while (!hasTerminated) {
            try {
                hasTerminated = writerThread.awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
