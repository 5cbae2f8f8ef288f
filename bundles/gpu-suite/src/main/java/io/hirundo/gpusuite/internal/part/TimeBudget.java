package io.hirundo.gpusuite.internal.part;

import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The time that a part of the suite may take. Parts ask between two pieces of work, so that one piece may go beyond it, and name each
 * before they begin it: a kernel that does not end is found by that. Thread-safe.
 */
public final class TimeBudget {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final int seconds;
  private final LongSupplier nanos;
  private final long begin;
  private volatile Piece piece;
  private volatile boolean ended;

  private record Piece(String name, long begin) {}

  /** Begins now, by a clock like {@link System#nanoTime}. */
  public TimeBudget(int seconds, LongSupplier nanos) {
    this.seconds = seconds;
    this.nanos = nanos;
    begin = nanos.getAsLong();
    piece = new Piece("its beginning", System.nanoTime());
  }

  /** A piece of work begins, by the system's clock. */
  public void begins(String name) {
    piece = new Piece(name, System.nanoTime());
  }

  /** The piece of work that has run for so long. */
  Optional<String> longerThan(int limitSeconds) {
    Piece present = piece;
    return System.nanoTime() - present.begin > limitSeconds * NANOS_PER_SECOND ? Optional.of(present.name) : Optional.empty();
  }

  /** Nothing is left from now on. */
  void end() {
    ended = true;
  }

  /** Whether no more work may begin. */
  public boolean isOver() {
    return leftNanos() <= 0;
  }

  /** What is left; 0 or below where it is over. */
  public long leftNanos() {
    return ended ? 0 : seconds * NANOS_PER_SECOND - (nanos.getAsLong() - begin);
  }

  double spentSeconds() {
    return (nanos.getAsLong() - begin) / 1e9;
  }

  int seconds() {
    return seconds;
  }
}
