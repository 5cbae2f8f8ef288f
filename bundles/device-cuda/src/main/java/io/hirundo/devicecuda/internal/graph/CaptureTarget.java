package io.hirundo.devicecuda.internal.graph;

import io.hirundo.DeviceException;
import java.util.List;

/** The target of captured work: a queue, and memory for the work. */
public interface CaptureTarget {
    /** Submits a call to the stream immediately. */
    void submit(Call call);

    /** Whether calls are timed one by one. */
    boolean isTimed();

    /** Allocates and holds memory for fixed offsets; false if there is not enough. */
    boolean reserve(long bytes);

    /** Holds the memory; false if it was reclaimed meanwhile. */
    boolean hold();

    /** Whether nothing is allocated in the memory. */
    boolean isEmpty();

    /** Allows the device to reclaim the memory. */
    void letGo();

    /** Frees the memory as soon as nothing is allocated in it. */
    void release();

    /**
     * Creates a graph of consecutive calls.
     *
     * @throws DeviceException if the device cannot create it
     */
    Graph graph(List<Call> calls);

    /** Calls that are submitted as one. */
    interface Graph extends AutoCloseable {
        void launch();

        /** Launches in progress still complete. */
        @Override
        void close();
    }
}
