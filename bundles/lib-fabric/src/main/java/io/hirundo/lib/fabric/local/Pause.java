package io.hirundo.lib.fabric.local;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Sleeps that end on time. */
final class Pause {
    /** What a parked thread may oversleep, by experience on an idle machine; the rest is spun. */
    private static final long SPIN_NANOS = 80_000;

    /** How long a sleep may last before one looks whether to end it early. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private Pause() {}

    /**
     * Waits without using the processor, except briefly at the end.
     *
     * @param nanos when to return, on the clock of {@link System#nanoTime}
     * @param enough returns at once when this is so
     */
    static void until(long nanos, BooleanSupplier enough) {
        boolean interrupted = false;
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            if (left > SPIN_NANOS) {
                if (enough.getAsBoolean()) {
                    break;
                }
                LockSupport.parkNanos(Math.min(left - SPIN_NANOS, LOOK_NANOS));
                interrupted |= Thread.interrupted();
            } else {
                Thread.onSpinWait();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
