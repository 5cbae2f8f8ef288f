package io.hirundo.trainer.internal.checkpoint;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Measures the time since the last save. Readable from any thread. */
final class SaveTimer {
    private final LongSupplier nanoTime;
    private volatile long sinceNanos;

    /** Starts the timer. {@code nanoTime}: a clock like {@link System#nanoTime}. */
    SaveTimer(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        restart();
    }

    void restart() {
        sinceNanos = nanoTime.getAsLong();
    }

    /** Whether this many seconds have passed; never for 0. */
    boolean isUp(long everySeconds) {
        return everySeconds > 0 && nanoTime.getAsLong() - sinceNanos >= TimeUnit.SECONDS.toNanos(everySeconds);
    }
}
