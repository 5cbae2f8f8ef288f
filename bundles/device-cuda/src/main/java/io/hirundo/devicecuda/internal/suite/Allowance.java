package io.hirundo.devicecuda.internal.suite;

import java.util.function.LongSupplier;

/** The time that a part of the suite may take. Parts ask between two pieces of work, so that one piece may go beyond it. */
public final class Allowance {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final int seconds;
  private final LongSupplier nanos;
  private final long begin;

  /** Begins now, by a clock like {@link System#nanoTime}. */
  public Allowance(int seconds, LongSupplier nanos) {
    this.seconds = seconds;
    this.nanos = nanos;
    begin = nanos.getAsLong();
  }

  /** Whether no more work may begin. */
  public boolean isOver() {
    return leftNanos() <= 0;
  }

  /** What is left; below 0 where it is over. */
  public long leftNanos() {
    return seconds * NANOS_PER_SECOND - (nanos.getAsLong() - begin);
  }

  double spentSeconds() {
    return (nanos.getAsLong() - begin) / 1e9;
  }

  int seconds() {
    return seconds;
  }
}
