package io.hirundo.devicemeta.internal.work;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import java.util.concurrent.locks.LockSupport;

/**
 * Simulated work: the queue knows when submitted work ends, and waiters sleep until then. As on a real device, the calling thread
 * continues meanwhile; the work needs no CPU.
 */
public final class TimedQueue implements Queue {
    /** End of all submitted work, in {@link System#nanoTime}. */
    private long endNanos = System.nanoTime();

    /** Submits work. */
    void work(long nanos) {
        notBefore(System.nanoTime());
        endNanos += nanos;
    }

    @Override
    public Event record() {
        return new End(endNanos);
    }

    /** Does not block for events of other timed queues, whose end is known. */
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

    /** The end of submitted work, known in advance. */
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
