package io.hirundo.gpusuite.internal.part;

import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The time limit of a part. Parts check it between two pieces of work, so one piece may exceed it. They name each piece before it starts,
 * so that a kernel that does not end can be identified. Thread-safe.
 */
public final class TimeBudget {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final int seconds;
    private final LongSupplier nanos;
    private final long begin;
    private volatile Piece piece;
    private volatile boolean ended;

    private record Piece(String name, long begin) {}

    /** Starts the time, measured by a clock like {@link System#nanoTime}. */
    public TimeBudget(int seconds, LongSupplier nanos) {
        this.seconds = seconds;
        this.nanos = nanos;
        begin = nanos.getAsLong();
        piece = new Piece("its beginning", System.nanoTime());
    }

    /** Starts a piece of work, measured by the system clock. */
    public void begins(String name) {
        piece = new Piece(name, System.nanoTime());
    }

    /** The name of the current piece of work, if it has run for longer than this. */
    Optional<String> longerThan(int limitSeconds) {
        Piece present = piece;
        return System.nanoTime() - present.begin > limitSeconds * NANOS_PER_SECOND
                ? Optional.of(present.name)
                : Optional.empty();
    }

    /** Ends the budget early. */
    void end() {
        ended = true;
    }

    /** Whether no more work may start. */
    public boolean isOver() {
        return leftNanos() <= 0;
    }

    /** The remaining time; 0 or negative if the budget is over. */
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
