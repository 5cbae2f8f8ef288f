package io.hirundo.lib.fabric;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Host of a world whose other ranks are absent: no lane gets work, so only an abort matters. */
public final class AloneHost implements LaneHost {
    private final ReentrantLock lock = new ReentrantLock();
    private volatile End end;

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    @Override
    public boolean hasEnded() {
        return end != null;
    }

    @Override
    public void requireAlive(int rank, Supplier<String> what) {
        if (end != null) {
            throw end.exceptionFor(rank, what.get());
        }
    }

    @Override
    public void end(End why) {
        lock.lock();
        try {
            end = end == null ? why : end;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void started(Lane lane) {}

    @Override
    public void ended(Lane lane) {}

    /** Nobody waits for an absent rank. */
    @Override
    public int timeoutSeconds() {
        return 1;
    }
}
