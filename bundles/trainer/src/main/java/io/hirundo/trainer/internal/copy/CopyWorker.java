package io.hirundo.trainer.internal.copy;

import io.hirundo.CheckpointException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.CheckpointCopied;
import io.hirundo.event.TrainingEvent.CheckpointCopying;
import io.hirundo.event.TrainingEvent.CheckpointNotCopied;
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
 * Copies checkpoints to a store on a thread of its own, one at a time. One more may wait, the newest: where copying is slower than
 * saving, those in between are left out. Thread-safe.
 */
public final class CopyWorker implements AutoCloseable {
  /** Before the second, third and fourth attempt. */
  public static final List<Duration> PAUSES = List.of(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(120));

  private static final String CUT_OFF = "the run has ended or takes another store; --resume takes the copy up";

  private static final String DELETED = "the checkpoint has been deleted meanwhile";

  private static final Logger LOG = LoggerFactory.getLogger(CopyWorker.class);

  private final StoreSession session;
  private final int keepCopies;
  private final Path room;
  private final List<Duration> pauses;
  private final ConcurrentLinkedQueue<TrainingEvent> news = new ConcurrentLinkedQueue<>();
  private final AtomicLong doneBytes = new AtomicLong();
  private final Thread thread;
  private HeldFolder waiting;
  private HeldFolder current;
  private HeldFolder failed;
  private boolean closing;
  private long offered;

  /**
   * Begins to wait for checkpoints; owns the session.
   *
   * @param keepCopies that the store keeps; 0 for all
   * @param room a folder on the checkpoints' file system for nothing else
   * @param pauses before each further attempt
   */
  public CopyWorker(StoreSession session, int keepCopies, Path room, List<Duration> pauses) {
    this.session = session;
    this.keepCopies = keepCopies;
    this.room = room;
    this.pauses = List.copyOf(pauses);
    HeldFolder.removeAll(room);
    this.thread = Thread.ofPlatform().daemon().name("hirundo-copies").start(this::work);
  }

  /** Copies a checkpoint that is whole, when there is time for it. */
  public synchronized void offer(CheckpointInfo checkpoint) {
    if (waiting != null) {
      tellNotCopied(waiting, "step " + checkpoint.step() + " is newer and is copied instead: copying is slower than saving");
      waiting.release();
    }
    waiting = HeldFolder.of(checkpoint, room.resolve(Long.toString(offered++)));
    notifyAll();
  }

  /** Whether a checkpoint is being copied, or waits for that. */
  public synchronized boolean isBusy() {
    return waiting != null || current != null;
  }

  /** Blocks until there is nothing to do, or the time is over; returns whether there is nothing to do. */
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

  /** What has happened since the last call. */
  public List<TrainingEvent> news() {
    var told = new ArrayList<TrainingEvent>();
    for (TrainingEvent event = news.poll(); event != null; event = news.poll()) {
      told.add(event);
    }
    return told;
  }

  /** How far the copy under way is. */
  public synchronized Optional<CheckpointCopying> progress() {
    return Optional.ofNullable(current)
        .map(copy -> new CheckpointCopying(copy.held().step(), session.place(), doneBytes.get(), copy.held().bytes()));
  }

  /** The newest checkpoint that was offered, where it is not in the store. */
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
        // Whatever happens: the end of the run waits for this.
        synchronized (this) {
          current = null;
          failed = copied ? null : next;
          notifyAll();
        }
      }
    }
  }

  /** Null when this is closed. */
  private synchronized HeldFolder take() {
    try {
      while (waiting == null && !closing) {
        wait();
      }
    } catch (InterruptedException closed) {
      // As below.
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
        news.add(new CheckpointCopied(checkpoint.step(), session.place(), checkpoint.bytes(), System.nanoTime() - begin));
        tidyUp(checkpoint);
        return true;
      } catch (StoreException mayPass) {
        String reason = whyGivenUp(copy, attempt);
        if (!reason.isEmpty()) {
          tellNotCopied(copy, mayPass.getMessage() + "; " + reason);
          return false;
        }
        LOG.warn("step {} is not copied yet, and tried again: {}", checkpoint.step(), mayPass.getMessage());
      } catch (CheckpointException unreadable) {
        // Of the checkpoint here, not of the store: the next attempt would read the same.
        String deleted = hasGone(copy) ? "; " + DELETED : "";
        tellNotCopied(copy, unreadable.getMessage() + deleted);
        return false;
      } catch (RuntimeException | Error lasting) {
        tellNotCopied(copy, lasting.getMessage() == null ? lasting.toString() : lasting.getMessage());
        LOG.debug("copying failed", lasting);
        return false;
      }
    }
  }

  private static boolean hasGone(HeldFolder copy) {
    return !Files.isDirectory(copy.held().path());
  }

  /** Waits before the next attempt; why there is none, or nothing. */
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
      // As below.
    }
    if (closing) {
      return CUT_OFF;
    }
    return waiting == null ? "" : "a newer checkpoint is copied instead";
  }

  /**
   * Deletes copies that are not kept: older ones, and those of a course that was left, when the run went on from an earlier step. The
   * copy is whole by now: trouble here is worth a line.
   */
  private void tidyUp(CheckpointInfo newest) {
    try {
      int kept = 0;
      for (StoredCheckpoint copy : session.list()) {
        boolean isNewest = copy.name().equals(newest.path().getFileName().toString());
        boolean isLeft = copy.step() >= newest.step() && !isNewest;
        if (isLeft || (keepCopies > 0 && ++kept > keepCopies)) {
          session.delete(copy);
        }
      }
    } catch (RuntimeException e) {
      LOG.warn("step {} is copied to {}, but older copies could not be deleted: {}", newest.step(), session.place(), e.getMessage());
    }
  }

  private void tellNotCopied(HeldFolder copy, String reason) {
    news.add(new CheckpointNotCopied(copy.held().step(), session.place(), reason));
  }

  /** Cuts off what is under way; the next attempt at the same checkpoint takes it up. */
  @Override
  public void close() {
    synchronized (this) {
      closing = true;
      notifyAll();
    }
    boolean interrupted = BackgroundThread.end(thread);
    synchronized (this) {
      if (waiting != null) {
        tellNotCopied(waiting, CUT_OFF);
        waiting.release();
      }
    }
    session.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
