package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpointdcp.internal.save.DataFilePaths;
import io.hirundo.checkpointdcp.internal.save.RankPart;
import io.hirundo.checkpointdcp.internal.save.RankWriter;
import io.hirundo.checkpointdcp.internal.save.SaveAttempt;
import io.hirundo.checkpointdcp.internal.save.Tier;
import io.hirundo.checkpointdcp.internal.save.Window;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A save in progress. The rank's thread adds staged windows and says when the last one is added; the writer thread writes them,
 * coordinates with the writers of other ranks, and commits.
 */
final class AsyncSave implements PendingSave {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncSave.class);

    /** The last element of the queue. */
    private static final Window END = new Window(0, null, false, () -> {});

    private final SaveAttempt attempt;
    private final RankPart part;
    private final DataFilePaths paths;
    private final WriterCoordination coordination;
    private final BlockingQueue<Window> staged = new LinkedBlockingQueue<>();
    private final CountDownLatch mayWrite = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Throwable stagingFailure;
    private volatile boolean isAbandoned;
    private volatile CheckpointInfo saved;

    /** {@code part}, {@code paths}: null where the attempt has failed. */
    AsyncSave(SaveAttempt attempt, RankPart part, DataFilePaths paths, WriterCoordination coordination) {
        this.attempt = attempt;
        this.part = part;
        this.paths = paths;
        this.coordination = coordination;
    }

    /** Rank's thread: adds a filled window, which the writer thread closes. */
    void add(Window window) {
        staged.add(window);
    }

    /** Rank's thread: no more windows follow. Must be called once, also after a failure. */
    void endStaging() {
        staged.add(END);
        allowWriting();
    }

    /**
     * Rank's thread: the pool is empty, or everything is staged. Until then, the writer would take memory bandwidth and processors from
     * the copy that training waits for.
     */
    void allowWriting() {
        mayWrite.countDown();
    }

    /** Rank's thread: the tensors could not be copied. */
    void failStaging(Throwable failure) {
        stagingFailure = failure;
    }

    /** Whether the writer has failed, so that it only returns further windows to the pool. */
    boolean isAbandoned() {
        return isAbandoned;
    }

    /** Writer thread: the save from its first window to its commit or failure. */
    void finish(RankWriter writer, Tier tier) {
        await(mayWrite);
        try {
            attempt.runUnlessFailed(() -> writer.write(attempt.folder(), paths, part, this::nextWindow));
            returnUnwrittenWindows();
            if (attempt.isRankZero()) {
                attempt.runUnlessFailed(
                        () -> coordination.awaitParts(attempt.allRanks().size()));
                attempt.commit(tier.committer());
            } else {
                attempt.runUnlessFailed(coordination::awaitCommit);
                attempt.findSaved();
            }
            if (attempt.failure() == null) {
                deleteOlderCheckpoints(tier);
            } else if (attempt.folder() != null) {
                abort(writer);
            }
        } finally {
            saved = attempt.saved();
            ended.countDown();
        }
    }

    /** The checkpoint is already durable, so a failure here is logged and does not fail the save. */
    private void deleteOlderCheckpoints(Tier tier) {
        try {
            tier.deleteOlderThan(attempt.saved());
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("a checkpoint is saved, but older ones could not be tidied up: {}", Reason.of(e));
        }
    }

    /** The next window to write; null after the last. */
    private Window nextWindow() throws IOException {
        coordination.pollFailure();
        Window window = takeStaged();
        if (window != END) {
            return window;
        }
        if (stagingFailure != null) {
            throw new CheckpointException(
                    "its tensors could not be read: " + Reason.of(stagingFailure), stagingFailure);
        }
        return null;
    }

    private Window takeStaged() {
        while (true) {
            try {
                Window window = staged.take();
                if (window == END) {
                    // END stays in the queue, so that returnUnwrittenWindows() finds it after the writer has.
                    staged.add(END);
                }
                return window;
            } catch (InterruptedException e) {
                // Nothing interrupts the writer thread; a save in progress continues.
            }
        }
    }

    /** After a failure, returns the buffers of windows that are not written, until the rank's thread has added the last. */
    private void returnUnwrittenWindows() {
        isAbandoned = attempt.failure() != null;
        for (Window window = takeStaged(); window != END; window = takeStaged()) {
            window.close();
        }
    }

    /** Deletes this rank's files, and reports the failure to the other ranks. */
    private void abort(RankWriter writer) {
        if (attempt.allRanks().size() == 1) {
            attempt.discardFailed();
            return;
        }
        try {
            // Files are deleted first: on a full disk, the report needs their room.
            writer.discard();
            if (!hasEarlierFailure()) {
                coordination.reportFailure(attempt.reason());
            }
            if (attempt.isRankZero()) {
                coordination.deleteAllButFailure();
            }
        } catch (IOException e) {
            // The next save or run removes the folder, which does not have the name of a checkpoint. The other ranks
            // time out.
            attempt.failure().addSuppressed(e);
        }
    }

    /** Whether another rank has reported a failure first; it becomes the reason of this rank's. */
    private boolean hasEarlierFailure() throws IOException {
        try {
            coordination.requireNoFailure();
            return false;
        } catch (CheckpointException earlier) {
            attempt.setCause(earlier);
            return true;
        }
    }

    @Override
    public boolean hasEnded() {
        return ended.getCount() == 0;
    }

    @Override
    public boolean isDurable() {
        return saved != null;
    }

    @Override
    public CheckpointInfo awaitDurable() {
        await(ended);
        if (saved == null) {
            throw attempt.exception();
        }
        return saved;
    }

    /** Waits through interrupts, and restores the interrupt at the end. */
    private static void await(CountDownLatch latch) {
        boolean wasInterrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
