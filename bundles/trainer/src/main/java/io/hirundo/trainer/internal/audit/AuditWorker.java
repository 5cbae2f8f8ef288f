package io.hirundo.trainer.internal.audit;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares what ranks have copied, on one thread of the process that nobody waits for. It begins with the first work, and keeps at
 * most so many works waiting that a rank that is faster is slowed down to its pace. Thread-safe.
 */
public final class AuditWorker implements AutoCloseable {
  private static final int WAITING = 16;

  private final BlockingQueue<Runnable> works = new ArrayBlockingQueue<>(WAITING);
  private final ConcurrentLinkedQueue<Finding> findings = new ConcurrentLinkedQueue<>();
  private final AtomicLong tiles = new AtomicLong();
  private final AtomicLong chunks = new AtomicLong();
  private final Object ended = new Object();
  private long begun;
  private long done;
  private Throwable failure;
  private Thread thread;

  /** To be done later, in the order in which they come. */
  void submit(Runnable work) {
    synchronized (ended) {
      begun++;
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name("hirundo-audit").start(this::run);
      }
    }
    try {
      works.put(work);
    } catch (InterruptedException interrupted) {
      synchronized (ended) {
        begun--;
      }
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (true) {
        Runnable work = works.take();
        try {
          work.run();
        } catch (RuntimeException | Error thrown) {
          synchronized (ended) {
            failure = failure == null ? thrown : failure;
          }
        }
        synchronized (ended) {
          done++;
          ended.notifyAll();
        }
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  void comparedTile() {
    tiles.incrementAndGet();
  }

  void comparedChunk() {
    chunks.incrementAndGet();
  }

  /** Tiles of products that were compared so far. */
  public long comparedTiles() {
    return tiles.get();
  }

  /** Chunks of collectives that were compared so far. */
  public long comparedChunks() {
    return chunks.get();
  }

  void found(Finding finding) {
    findings.add(finding);
  }

  /** Whether there is something to be looked at: a finding, or a failure of the audit itself. */
  public boolean hasNews() {
    synchronized (ended) {
      return !findings.isEmpty() || failure != null;
    }
  }

  /**
   * Waits for everything that was submitted.
   *
   * @throws IllegalStateException where the audit itself has failed, which is a defect
   */
  public void await() {
    synchronized (ended) {
      try {
        while (done < begun) {
          ended.wait();
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      if (failure != null) {
        throw new IllegalStateException("the audit failed: " + failure + "; go on without it: --resume --set audit.rate=0", failure);
      }
    }
  }

  /** Findings of a rank that nobody has taken. */
  List<Finding> take(int rank) {
    List<Finding> taken = findings.stream().filter(each -> each.found().rank() == rank).toList();
    findings.removeAll(taken);
    return taken;
  }

  @Override
  public String toString() {
    return comparedTiles() + " tiles and " + comparedChunks() + " chunks compared, findings: " + findings.stream().map(each -> each.found().toString()).toList();
  }

  @Override
  public void close() {
    synchronized (ended) {
      if (thread != null) {
        thread.interrupt();
      }
    }
  }
}
