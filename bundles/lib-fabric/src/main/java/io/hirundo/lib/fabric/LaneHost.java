package io.hirundo.lib.fabric;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.osgi.annotation.versioning.ConsumerType;

/** What groups and lanes need from their world. Thread-safe. */
@ConsumerType
public interface LaneHost {
    /** Guards the state of the world, its groups and its lanes. */
    ReentrantLock lock();

    boolean hasEnded();

    /**
     * Fails if the world has ended or the rank has left it.
     *
     * @param what the rank is about to do, or waits for; evaluated only for the message, because the names of large groups are long
     * @throws io.hirundo.CommunicationException if so; names the rank, {@code what} and the reason
     */
    void requireAlive(int rank, Supplier<String> what);

    /** Ends all pending and later collectives, and stops the lanes. Only the first call counts. */
    void end(End why);

    /** Called under the lock when a lane has started its thread. */
    void started(Lane lane);

    /** Called when a lane's thread has ended. */
    void ended(Lane lane);

    /** Deadline of every collective. */
    int timeoutSeconds();

    default long timeoutNanos() {
        return TimeUnit.SECONDS.toNanos(timeoutSeconds());
    }
}
