package io.hirundo.trainer.internal.copy;

import io.hirundo.CheckpointException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Fetches in a thread of its own, so that whoever waits for it hears other processes and the user meanwhile. */
public final class BackgroundFetch implements AutoCloseable {
  private final FutureTask<FetchResult> work;
  private final Thread thread;

  public BackgroundFetch(Callable<FetchResult> fetch) {
    this.work = new FutureTask<>(fetch);
    this.thread = Thread.ofPlatform().daemon().name("hirundo-fetch").start(work);
  }

  /** Waits until it has ended, well or not, or the time is over. */
  public boolean hasEnded(Duration atMost) {
    try {
      work.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException goesOn) {
      return false;
    } catch (ExecutionException failed) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CheckpointException("interrupted while a checkpoint was fetched", e);
    }
  }

  /** Of one that has ended; throws what it threw. */
  public FetchResult result() {
    try {
      return work.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException("what has ended is not waited for", e);
    }
  }

  /** Ends it soon, and returns when nobody works with the store any more. */
  public void cutShort() {
    if (BackgroundThread.end(thread)) {
      Thread.currentThread().interrupt();
    }
  }

  /** Of one that was cut short, for messages: it may have been done before it heard of that. */
  public String whatStays() {
    try {
      return result()
          .copy()
          .map(copy -> ", but step " + copy.step() + " was here whole: it is in " + copy.path() + ", and --resume goes on from it")
          .orElse(", but there was nothing to fetch");
    } catch (RuntimeException failed) {
      return ", and nothing of it stays; --resume fetches it again";
    }
  }

  @Override
  public void close() {
    cutShort();
  }
}
