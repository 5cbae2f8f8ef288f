package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.collective.Barrier;
import io.hirundo.checkpointdcp.internal.collective.Exchange;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.save.RankState;
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
 * Saves for which training stands still only while its state is copied to host memory. A thread of the rank writes; it makes no
 * collective, because those of the training are ordered on the rank's own thread. Saves end in the order in which they began.
 */
public final class AsyncSaveStrategy implements SaveStrategy {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncSaveStrategy.class);
    private static final int MOST_UNDER_WAY = 2;

    private final CheckpointContext context;
    private final World world;
    private final Tier storage;
    private final Staging staging;
    private final StagingPool pool;
    private final RankWriter writer;
    private final FileOperations files;
    private final SaveTimeout patience;
    private final Semaphore slots = new Semaphore(MOST_UNDER_WAY);
    private final ExecutorService thread;
    private ShardPlan plan;
    private int saves;

    /** {@code storage}: where saves go that are not sent elsewhere. */
    public AsyncSaveStrategy(
            CheckpointContext context,
            Tier storage,
            StagingPool pool,
            RankWriter writer,
            FileOperations files,
            SaveTimeout patience) {
        this.context = context;
        this.world = context.world();
        this.storage = storage;
        this.staging = new Staging(context.device(), context.queue());
        this.pool = pool;
        this.writer = writer;
        this.files = files;
        this.patience = patience;
        // Begins with the first save.
        this.thread = Executors.newSingleThreadExecutor(Thread.ofPlatform()
                .daemon()
                .name("hirundo-checkpoint-" + world.rank())
                .factory());
    }

    @Override
    public PendingSave save(TrainingState state) {
        return save(state, storage);
    }

    /** Exceptions of devices and of the caller's making are thrown; those of storage, and of other ranks, are the result's. */
    PendingSave save(TrainingState state, Tier tier) {
        slots.acquireUninterruptibly();
        var attempt = new SaveAttempt(world, tier.store(), state.step());
        attempt.begin(saves++, slots.availablePermits() == MOST_UNDER_WAY - 1);
        boolean hasBegun = attempt.failure() == null;
        attempt.attempt(() -> plan = RankState.planOf(state, plan, pool.bufferBytes()));
        var share = new RankState[1];
        attempt.attempt(() -> share[0] = RankState.of(world.rank(), state, plan));
        Throwable wrong = attempt.failure();
        SaveAssignment handover = tier.handOver(attempt, wrong == null ? plan.fileBytes() : 0);
        boolean isGood = attempt.failure() == null;
        var save = new AsyncSave(
                attempt,
                share[0],
                handover.placement(),
                new Agreement(attempt.folder(), world.rank(), files, patience));
        thread.execute(() -> finish(save, tier));
        try {
            if (isGood) {
                stage(save, state, handover);
            }
        } catch (RuntimeException | Error failure) {
            save.failStaging(failure);
            throw failure;
        } finally {
            save.endStaging();
        }
        if (hasBegun && wrong instanceof RuntimeException mistake) {
            throw mistake;
        }
        return save;
    }

    /** What is passed to other ranks is passed to its end, also where this one's save has failed: they wait for it. */
    private void stage(AsyncSave save, TrainingState state, SaveAssignment handover) {
        int bufferBytes = pool.bufferBytes();
        try (var exchange =
                new Exchange(world, context.device(), context.queue(), bufferBytes, handover.to(), handover.from())) {
            long end = Math.max(plan.fileBytes(), handover.receivedBytes());
            for (long begin = 0; begin < end; begin += bufferBytes) {
                long ownBytes = Math.clamp(plan.fileBytes() - begin, 0, bufferBytes);
                long receivedBytes = Math.clamp(handover.receivedBytes() - begin, 0, bufferBytes);
                if (ownBytes > 0 && (handover.sends() || !save.isGivenUp())) {
                    stageOwn(save, state, begin, ownBytes, handover.sends() ? exchange : null);
                }
                exchange.pass(handover.sends() ? ownBytes : 0, receivedBytes);
                if (receivedBytes > 0) {
                    MemorySegment buffer = take(save);
                    var window = new Window(begin, buffer.asSlice(0, receivedBytes), true, () -> pool.give(buffer));
                    fill(save, window, () -> exchange.unload(buffer, receivedBytes));
                }
            }
        }
    }

    /** {@code exchange}: takes the window too; null where nobody gets it by messages. */
    private void stageOwn(AsyncSave save, TrainingState state, long begin, long bytes, Exchange exchange) {
        MemorySegment buffer = take(save);
        var window = new Window(begin, buffer.asSlice(0, bytes), false, () -> pool.give(buffer));
        fill(save, window, () -> {
            staging.fill(plan, state.shards(), begin, window.bytes());
            if (exchange != null) {
                exchange.load(buffer, bytes);
            }
        });
    }

    private MemorySegment take(AsyncSave save) {
        MemorySegment buffer = pool.tryTake();
        if (buffer == null) {
            save.letWrite();
            buffer = pool.take();
        }
        return buffer;
    }

    /** Fills a window and hands it to the writer. */
    private static void fill(AsyncSave save, Window window, Runnable filling) {
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

    private void finish(AsyncSave save, Tier tier) {
        try {
            save.finish(writer, tier);
        } finally {
            slots.release();
        }
    }

    @Override
    public void close() {
        closeTogether();
    }

    /** As {@link #close}; whether all ranks have come to the end of it. */
    boolean closeTogether() {
        boolean isTogether = Barrier.of(world);
        if (!isTogether) {
            patience.endWorld();
        }
        awaitWriter();
        pool.close();
        isTogether = isTogether && Barrier.of(world);
        // Of a save that failed, the others have read by now why.
        if (isTogether && world.rank() == 0) {
            try {
                storage.store().trash().removeLeftovers();
            } catch (IOException e) {
                LOG.warn("what failed saves left could not be removed: {}", Reason.of(e));
            }
        }
        return isTogether;
    }

    /** An interrupt is kept for later: it would close the files that are being written. */
    private void awaitWriter() {
        thread.shutdown();
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                ended = thread.awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
