package io.hirundo.devicemeta.internal.work;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import java.util.concurrent.locks.LockSupport;

/**
 * Work that takes time and does nothing: the queue knows when it will be through with what was handed in, and who needs that
 * waits. The calling thread goes on meanwhile, as with a real device, and needs no processor for the work.
 */
public final class TimedQueue implements Queue {
  /** When all work so far has ended, on the clock of {@link System#nanoTime}. */
  private long endNanos = System.nanoTime();

  /** Hands in work. */
  void work(long nanos) {
    notBefore(System.nanoTime());
    endNanos += nanos;
  }

  @Override
  public Event record() {
    return new End(endNanos);
  }

  /** Does not block for other queues of the kind, whose time is known. */
  @Override
  public void await(Event event) {
    if (event instanceof End(long nanos)) {
      notBefore(nanos);
    } else {
      event.await();
      notBefore(System.nanoTime());
    }
  }

  @Override
  public void drain() {
    record().await();
  }

  @Override
  public void close() {}

  private void notBefore(long nanos) {
    endNanos = nanos - endNanos > 0 ? nanos : endNanos;
  }

  /** The end of some work, whose time is known when it is handed in. */
  private record End(long nanos) implements Event {
    @Override
    public boolean hasHappened() {
      return nanos - System.nanoTime() <= 0;
    }

    @Override
    public void await() {
      boolean interrupted = false;
      while (!hasHappened()) {
        LockSupport.parkNanos(nanos - System.nanoTime());
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
