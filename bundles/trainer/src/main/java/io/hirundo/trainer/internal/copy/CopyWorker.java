package io.hirundo.trainer.internal.copy;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.event.CheckpointEvent.CheckpointCopied;
import io.hirundo.event.CheckpointEvent.CheckpointCopying;
import io.hirundo.event.CheckpointEvent.CheckpointNotCopied;
import io.hirundo.event.TrainingEvent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies checkpoints to a store on a background thread, one at a time. At most one more checkpoint waits, the newest. If copying is slower
 * than saving, the checkpoints in between are skipped. Thread-safe.
 */
public final class CopyWorker implements AutoCloseable {
    /** Delays before the second, third and fourth attempt. */
    public static final List<Duration> PAUSES =
            List.of(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(120));

    private static final String CUT_OFF = "the run has ended or its store has changed; --resume continues the copy";

    private static final String DELETED = "the checkpoint has been deleted meanwhile";

    private static final Logger LOG = LoggerFactory.getLogger(CopyWorker.class);

    private final StoreSession session;
    private final int keepCopies;
    private final Path room;
    private final List<Duration> pauses;
    private final ConcurrentLinkedQueue<TrainingEvent> events = new ConcurrentLinkedQueue<>();
    private final AtomicLong doneBytes = new AtomicLong();
    private final Thread thread;
    private HeldFolder waiting;
    private HeldFolder current;
    private HeldFolder failed;
    private boolean closing;
    private long offered;
    private boolean hasMissedLinks;

    /**
     * Starts the thread and waits for checkpoints. Owns the session.
     *
     * @param keepCopies number of copies that the store keeps; 0 for all
     * @param room an empty folder on the checkpoints' file system that only this worker uses
     * @param pauses delays before each further attempt
     */
    public CopyWorker(StoreSession session, int keepCopies, Path room, List<Duration> pauses) {
        this.session = session;
        this.keepCopies = keepCopies;
        this.room = room;
        this.pauses = List.copyOf(pauses);
        HeldFolder.removeAll(room);
        this.thread = Thread.ofPlatform().daemon().name("hirundo-copies").start(this::work);
    }

    /** Queues a complete checkpoint to be copied. */
    public synchronized void offer(CheckpointInfo checkpoint) {
        if (waiting != null) {
            reportNotCopied(
                    waiting,
                    "step " + checkpoint.step() + " is newer and is copied instead: copying is slower than saving");
            waiting.release();
        }
        waiting = HeldFolder.of(checkpoint, room.resolve(Long.toString(offered++)), !hasMissedLinks);
        hasMissedLinks |= !waiting.isLinked();
        notifyAll();
    }

    /** Whether a checkpoint is being copied or queued. */
    public synchronized boolean isBusy() {
        return waiting != null || current != null;
    }

    /** Blocks until the queue is empty or the time is over. Returns whether the queue is empty. */
    public synchronized boolean awaitIdle(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        long left = atMost.toMillis();
        try {
            while (isBusy() && left > 0) {
                wait(left);
                left = (end - System.nanoTime()) / 1_000_000;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !isBusy();
    }

    /** The events since the last call. */
    public List<TrainingEvent> events() {
        var drained = new ArrayList<TrainingEvent>();
        for (TrainingEvent event = events.poll(); event != null; event = events.poll()) {
            drained.add(event);
        }
        return drained;
    }

    /** Progress of the current copy. */
    public synchronized Optional<CheckpointCopying> progress() {
        return Optional.ofNullable(current)
                .map(copy -> new CheckpointCopying(
                        copy.held().step(),
                        session.place(),
                        doneBytes.get(),
                        copy.held().bytes()));
    }

    /** The newest queued checkpoint that is not in the store yet. */
    public synchronized Optional<CheckpointInfo> missing() {
        HeldFolder newest = waiting != null ? waiting : current != null ? current : failed;
        return Optional.ofNullable(newest).map(HeldFolder::checkpoint);
    }

    private void work() {
        while (true) {
            HeldFolder next = take();
            if (next == null) {
                return;
            }
            boolean copied = false;
            try {
                copied = copy(next);
                next.release();
            } finally {
                // Also after an exception, because the end of the run waits for this.
                synchronized (this) {
                    current = null;
                    failed = copied ? null : next;
                    notifyAll();
                }
            }
        }
    }

    /** The next checkpoint; null after {@link #close}. */
    private synchronized HeldFolder take() {
        try {
            while (waiting == null && !closing) {
                wait();
            }
        } catch (InterruptedException closed) {
            // {@code closing} is checked below.
        }
        if (closing) {
            return null;
        }
        current = waiting;
        waiting = null;
        doneBytes.set(0);
        return current;
    }

    private boolean copy(HeldFolder copy) {
        CheckpointInfo checkpoint = copy.held();
        for (int attempt = 0; ; attempt++) {
            long begin = System.nanoTime();
            try {
                session.put(checkpoint, done -> doneBytes.accumulateAndGet(done, Math::max));
                events.add(new CheckpointCopied(
                        checkpoint.step(), session.place(), checkpoint.bytes(), System.nanoTime() - begin));
                prune(checkpoint);
                return true;
            } catch (StoreException mayPass) {
                String reason = whyGivenUp(copy, attempt);
                if (!reason.isEmpty()) {
                    reportNotCopied(copy, mayPass.getMessage() + "; " + reason);
                    return false;
                }
                LOG.warn("step {} is not copied yet, retrying: {}", checkpoint.step(), mayPass.getMessage());
            } catch (CheckpointException unreadable) {
                // The checkpoint here is unreadable, so another attempt would fail the same way.
                String deleted = hasGone(copy) ? "; " + DELETED : "";
                reportNotCopied(copy, unreadable.getMessage() + deleted);
                return false;
            } catch (RuntimeException | Error lasting) {
                reportNotCopied(copy, Reason.of(lasting));
                LOG.debug("copying failed", lasting);
                return false;
            }
        }
    }

    private static boolean hasGone(HeldFolder copy) {
        return !Files.isDirectory(copy.held().path());
    }

    /** Waits before the next attempt. Returns the reason to give up, or an empty string. */
    private synchronized String whyGivenUp(HeldFolder copy, int attempt) {
        if (hasGone(copy)) {
            return DELETED;
        }
        if (attempt == pauses.size()) {
            return "given up after " + (attempt + 1) + " attempts; the next checkpoint is tried again";
        }
        try {
            long end = System.nanoTime() + pauses.get(attempt).toNanos();
            for (long left = pauses.get(attempt).toMillis(); left > 0 && waiting == null && !closing; ) {
                wait(left);
                left = (end - System.nanoTime()) / 1_000_000;
            }
        } catch (InterruptedException closed) {
            // {@code closing} is checked below.
        }
        if (closing) {
            return CUT_OFF;
        }
        return waiting == null ? "" : "a newer checkpoint is copied instead";
    }

    /**
     * Deletes copies beyond {@code keepCopies}, and those at or after the newest step that a rollback has abandoned. A failure is only
     * logged, because the new copy is already complete.
     */
    private void prune(CheckpointInfo newest) {
        try {
            int kept = 0;
            for (StoredCheckpoint copy : session.list()) {
                boolean isNewest =
                        copy.name().equals(newest.path().getFileName().toString());
                boolean isAbandoned = copy.step() >= newest.step() && !isNewest;
                if (isAbandoned || (keepCopies > 0 && ++kept > keepCopies)) {
                    session.delete(copy);
                }
            }
        } catch (RuntimeException e) {
            LOG.warn(
                    "step {} is copied to {}, but older copies could not be deleted: {}",
                    newest.step(),
                    session.place(),
                    Reason.of(e));
        }
    }

    private void reportNotCopied(HeldFolder copy, String reason) {
        events.add(new CheckpointNotCopied(copy.held().step(), session.place(), reason));
    }

    /** Cancels the current copy; the next attempt at the same checkpoint resumes it. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        boolean interrupted = BackgroundThread.end(thread);
        synchronized (this) {
            if (waiting != null) {
                reportNotCopied(waiting, CUT_OFF);
                waiting.release();
            }
        }
        session.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
