package io.hirundo.commmpi.internal.wire;

import java.util.concurrent.locks.LockSupport;

/** How a thread waits for a message: it looks again at once for a while, then sleeps longer and longer. */
public final class Backoff {
    private static final int SPINS = 50;
    private static final long FIRST_NANOS = 10_000;
    private static final long LAST_NANOS = 500_000;

    private int spins;
    private long nanos = FIRST_NANOS;

    /** Something has happened. */
    public void reset() {
        spins = 0;
        nanos = FIRST_NANOS;
    }

    public void pause() {
        if (spins++ < SPINS) {
            Thread.yield();
            return;
        }
        boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(nanos);
        nanos = Math.min(2 * nanos, LAST_NANOS);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
