package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpointdcp.internal.save.Placement;
import io.hirundo.checkpointdcp.internal.save.RankState;
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
 * A save that has begun. The rank's thread stages windows, and says when they are all there; the writer's thread writes them and
 * agrees with the other ranks.
 */
final class AsyncSave implements PendingSave {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncSave.class);

    /** Comes last in the line. */
    private static final Window END = new Window(0, null, false, () -> {});

    private final SaveAttempt attempt;
    private final RankState share;
    private final Placement placement;
    private final Agreement agreement;
    private final BlockingQueue<Window> staged = new LinkedBlockingQueue<>();
    private final CountDownLatch mayWrite = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Throwable stagingFailure;
    private volatile boolean isGivenUp;
    private volatile CheckpointInfo saved;

    /** {@code share}, {@code placement}: null where the attempt has failed. */
    AsyncSave(SaveAttempt attempt, RankState share, Placement placement, Agreement agreement) {
        this.attempt = attempt;
        this.share = share;
        this.placement = placement;
        this.agreement = agreement;
    }

    /** The rank's thread: hands over. */
    void add(Window window) {
        staged.add(window);
    }

    /** The rank's thread: nothing more will come. Must be called, whatever happens. */
    void endStaging() {
        staged.add(END);
        letWrite();
    }

    /**
     * The rank's thread: there are no more buffers, or all is staged. Before, a writer would take memory bandwidth and processors from
     * the copy that training waits for.
     */
    void letWrite() {
        mayWrite.countDown();
    }

    /** The rank's thread: the tensors could not be read. */
    void failStaging(Throwable failure) {
        stagingFailure = failure;
    }

    /** Whether there is no use in staging more. */
    boolean isGivenUp() {
        return isGivenUp;
    }

    /** The writer's thread: everything from the first window to the end of the save. */
    void finish(RankWriter writer, Tier tier) {
        await(mayWrite);
        try {
            attempt.attempt(() -> writer.write(attempt.folder(), placement, share, this::next));
            drain();
            if (attempt.isFirst()) {
                attempt.attempt(() -> agreement.awaitParts(attempt.all().size()));
                attempt.commit(tier.committer());
            } else {
                attempt.attempt(agreement::awaitDecision);
                attempt.findSaved();
            }
            if (attempt.failure() == null) {
                tidyUp(tier);
            } else if (attempt.folder() != null) {
                giveUp(writer);
            }
        } finally {
            saved = attempt.saved();
            ended.countDown();
        }
    }

    /** The checkpoint is safe by now: trouble here is worth a line, not the run. */
    private void tidyUp(Tier tier) {
        try {
            tier.saved(attempt.saved());
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("a checkpoint is saved, but older ones could not be tidied up: {}", Reason.of(e));
        }
    }

    private Window next() throws IOException {
        agreement.look();
        Window window = take();
        if (window == END && stagingFailure != null) {
            throw new CheckpointException(
                    "its tensors could not be read: " + Reason.of(stagingFailure), stagingFailure);
        }
        return window == END ? null : window;
    }

    private Window take() {
        while (true) {
            try {
                Window window = staged.take();
                if (window == END) {
                    // Once more for drain().
                    staged.add(END);
                }
                return window;
            } catch (InterruptedException later) {
                // Nobody interrupts this thread; what was begun is brought to its end.
            }
        }
    }

    /** Gives back what was staged for nothing, until no more will come. */
    private void drain() {
        isGivenUp = attempt.failure() != null;
        for (Window window = take(); window != END; window = take()) {
            window.close();
        }
    }

    private void giveUp(RankWriter writer) {
        if (attempt.all().size() == 1) {
            attempt.discardFailed();
            return;
        }
        try {
            // First: where the disk is full, the message needs room.
            writer.discard();
            if (!isKnown()) {
                agreement.fail(attempt.reason());
            }
            if (attempt.isFirst()) {
                agreement.empty();
            }
        } catch (IOException e) {
            // It has no checkpoint's name, and the next save or run removes it; the others will not wait forever.
            attempt.failure().addSuppressed(e);
        }
    }

    /** Whether another rank has said before why there will be no checkpoint: what failed here may follow from that. */
    private boolean isKnown() throws IOException {
        try {
            agreement.requireNoFailure();
            return false;
        } catch (CheckpointException earlier) {
            attempt.blame(earlier);
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

    /** An interrupt is kept for later. */
    private static void await(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
