package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * An in-order queue of work on a device, like a CUDA stream. Only events order queues among each other. Confined to one thread. A
 * device may run work in the calling thread; then every event has happened when it is recorded.
 */
@ConsumerType
public interface Queue extends AutoCloseable {
    /** Records an event after all work submitted so far. */
    Event record();

    /**
     * Makes later work of this queue wait for an event of another queue of the device, or of a collective. A queue without
     * device-side waits blocks the calling thread ({@link Event#await}).
     */
    void await(Event event);

    /**
     * Begins a section of work that likely repeats: the same kernels with the same operands, and the same allocations in between. A
     * device may capture and replay it as a CUDA graph. Work that differs from the captured sequence still gives the same results.
     *
     * @param work name of the section; equal names mean equal work; appears in logs
     * @return closed by the queue's thread where the section ends
     * @throws IllegalStateException if a section is already open in this queue
     */
    default Repetition repetition(String work) {
        return Repetition.UNUSED;
    }

    /** Blocks the calling thread until all submitted work has ended, and throws its failure if it failed. */
    void drain();

    @Override
    void close();
}
