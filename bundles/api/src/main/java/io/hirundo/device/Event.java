package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/** A point in a queue, or the end of a collective. Thread-safe. */
@ConsumerType
public interface Event {
    /** An event that has already happened. */
    Event PAST = new Event() {
        @Override
        public boolean hasHappened() {
            return true;
        }

        @Override
        public void await() {}
    };

    /** Whether all work before this point has ended, successfully or not. */
    boolean hasHappened();

    /**
     * Blocks the calling thread until the event happens, or until the deadline of its creator.
     *
     * @throws io.hirundo.CommunicationException if a collective failed, was aborted or timed out; names rank, collective and
     *     sequence number
     */
    void await();
}
