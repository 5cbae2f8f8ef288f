package io.hirundo.trainer.internal.step;

/** Tells how long steps take: from the end of one to the end of the next, without what is done between them that is no step's work. */
public final class StepClock {
  private long beginNanos = System.nanoTime();
  /** Of work that began in the last step and was waited for after it; counts with the next one. */
  private long carriedNanos;

  /** What has happened until now does not count. */
  public void reset() {
    beginNanos = System.nanoTime();
  }

  /** What has happened until now was still the last step's. */
  public void carry() {
    carriedNanos += sinceBegin();
  }

  /** A step is done; what it took. */
  public long stepNanos() {
    long nanos = sinceBegin() + carriedNanos;
    carriedNanos = 0;
    return nanos;
  }

  private long sinceBegin() {
    long now = System.nanoTime();
    long nanos = now - beginNanos;
    beginNanos = now;
    return nanos;
  }
}
