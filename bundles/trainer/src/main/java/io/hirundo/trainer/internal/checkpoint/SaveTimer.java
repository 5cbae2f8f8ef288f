package io.hirundo.trainer.internal.checkpoint;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** How long it is since training state was saved. Any thread may look. */
final class SaveTimer {
  private final LongSupplier nanoTime;
  private volatile long sinceNanos;

  /** Begins to run. {@code nanoTime}: as {@link System#nanoTime}. */
  SaveTimer(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    restart();
  }

  void restart() {
    sinceNanos = nanoTime.getAsLong();
  }

  /** Whether so much time has passed; never for 0. */
  boolean isUp(long everySeconds) {
    return everySeconds > 0 && nanoTime.getAsLong() - sinceNanos >= TimeUnit.SECONDS.toNanos(everySeconds);
  }
}
