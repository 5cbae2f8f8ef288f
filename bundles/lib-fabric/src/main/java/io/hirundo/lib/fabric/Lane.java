package io.hirundo.lib.fabric;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;

/**
 * A communication thread of a rank, in order: one for a group's collectives, one per peer and direction of point-to-point
 * transfers. Unrelated transfers thus never wait for each other. The thread starts with the first work and ends with {@link
 * #close} or the world. It is a platform thread: up to JDK 25.0.3 a virtual thread can stay parked or blocked forever (JDK-8369227, JDK-8373120).
 */
public final class Lane {
    private final LaneHost host;
    private final int rank;
    private final Device device;
    private final String purpose;
    private final Deque<Consumer<Queue>> work = new ArrayDeque<>();
    private final Condition changed;
    private Thread thread;
    private boolean closing;

    Lane(LaneHost host, int rank, Device device, String purpose) {
        this.host = host;
        this.rank = rank;
        this.device = device;
        this.purpose = purpose;
        this.changed = host.lock().newCondition();
    }

    public String name() {
        return "hirundo rank " + rank + " communication " + purpose;
    }

    /** Appends work. Call it under the host's lock. */
    public void add(Consumer<Queue> next) {
        work.add(next);
        changed.signal();
        if (thread == null) {
            host.started(this);
            thread = Thread.ofPlatform().daemon().name(name()).start(this::run);
        }
    }

    /** Called when the world has ended, under the host's lock. */
    public void stop() {
        changed.signal();
        // A queue's event may take long; the interrupt wakes whoever can be woken.
        thread.interrupt();
    }

    private void run() {
        try (Queue queue = device.newQueue("communication " + purpose)) {
            for (var next = next(); next != null; next = next()) {
                next.accept(queue);
            }
        } catch (RuntimeException | Error e) {
            host.end(End.failure(rank, e));
        } finally {
            host.ended(this);
        }
    }

    private Consumer<Queue> next() {
        host.lock().lock();
        try {
            while (work.isEmpty() && !closing && !host.hasEnded()) {
                changed.awaitUninterruptibly();
            }
            return host.hasEnded() ? null : work.poll();
        } finally {
            host.lock().unlock();
        }
    }

    /** Ends the thread after its remaining work. */
    void close() {
        host.lock().lock();
        try {
            closing = true;
            changed.signal();
        } finally {
            host.lock().unlock();
        }
        if (thread != null) {
            join();
        }
    }

    private void join() {
        boolean interrupted = false;
        long deadline = System.nanoTime() + host.timeoutNanos();
        boolean ended = false;
        while (!ended && deadline - System.nanoTime() > 0) {
            try {
                ended = thread.join(Duration.ofNanos(deadline - System.nanoTime()));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!ended) {
            throw new CommunicationException(
                    "rank " + rank + ": communication " + purpose + " did not end in " + host.timeoutSeconds()
                            + " s after the world was closed; a kernel or an event of the device hangs");
        }
    }
}
