package io.hirundo.checkpointdcp.internal;

import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.mesh.Axis;
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
final class AsyncSaving implements Saving {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncSaving.class);
  private static final int MOST_UNDER_WAY = 2;

  private final World world;
  private final CheckpointStore store;
  private final Staging staging;
  private final StagingPool pool;
  private final RankWriter writer;
  private final Committer committer;
  private final FileOperations files;
  private final Patience patience;
  private final Semaphore slots = new Semaphore(MOST_UNDER_WAY);
  private final ExecutorService thread;
  private SharePlan plan;
  private int saves;

  AsyncSaving(
      World world,
      CheckpointStore store,
      Staging staging,
      StagingPool pool,
      RankWriter writer,
      Committer committer,
      FileOperations files,
      Patience patience) {
    this.world = world;
    this.store = store;
    this.staging = staging;
    this.pool = pool;
    this.writer = writer;
    this.committer = committer;
    this.files = files;
    this.patience = patience;
    // Begins with the first save.
    this.thread =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("hirundo-checkpoint-" + world.rank()).factory());
  }

  /** Exceptions of devices and of the caller's making are thrown; those of storage, and of other ranks, are the result's. */
  @Override
  public PendingSave save(TrainingState state) {
    slots.acquireUninterruptibly();
    var attempt = new SaveAttempt(world, store, state.step());
    attempt.begin(saves++, slots.availablePermits() == MOST_UNDER_WAY - 1);
    boolean hasBegun = attempt.failure() == null;
    attempt.attempt(() -> plan = Share.planOf(state, plan, pool.bufferBytes()));
    var share = new Share[1];
    attempt.attempt(() -> share[0] = Share.of(world.rank(), state, plan));
    Throwable wrong = attempt.failure();
    var save = new AsyncSave(attempt, share[0], new Agreement(attempt.folder(), world.rank(), files, patience));
    thread.execute(() -> finish(save));
    try {
      if (wrong == null) {
        stage(save, state);
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

  private void stage(AsyncSave save, TrainingState state) {
    for (long begin = 0; begin < plan.fileBytes() && !save.isGivenUp(); begin += pool.bufferBytes()) {
      MemorySegment buffer = pool.tryTake();
      if (buffer == null) {
        save.letWrite();
        buffer = pool.take();
      }
      MemorySegment taken = buffer;
      var window =
          new Window(
              begin, taken.asSlice(0, Math.min(pool.bufferBytes(), plan.fileBytes() - begin)), () -> pool.give(taken));
      boolean isFilled = false;
      try {
        staging.fill(plan, state.shards(), begin, window.bytes());
        isFilled = true;
      } finally {
        if (!isFilled) {
          window.close();
        }
      }
      save.add(window);
    }
  }

  private void finish(AsyncSave save) {
    try {
      save.finish(writer, committer, store);
    } finally {
      slots.release();
    }
  }

  @Override
  public void close() {
    boolean isTogether = meet();
    if (!isTogether) {
      patience.endWorld();
    }
    awaitWriter();
    pool.close();
    // Of a save that failed, the others have read by now why.
    if (isTogether && meet() && world.rank() == 0) {
      try {
        store.removeLeftovers();
      } catch (IOException e) {
        LOG.warn("what failed saves left could not be removed: {}", Reason.of(e));
      }
    }
  }

  /** Whether all ranks are there still. */
  private boolean meet() {
    try {
      world.along(Axis.values()).barrier();
      return true;
    } catch (RuntimeException ended) {
      // The training ended with an error, which is told elsewhere.
      return false;
    }
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
