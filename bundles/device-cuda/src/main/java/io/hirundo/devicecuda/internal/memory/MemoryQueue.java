package io.hirundo.devicecuda.internal.memory;

import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import io.hirundo.devicecuda.internal.graph.Allocation;
import java.util.function.Consumer;

/** A queue as the memory allocator sees it: the order of allocations and frees, and marks. Thread-safe. */
public interface MemoryQueue {
    /** The stream, after all work so far has been submitted to it. */
    Handles.Stream stream();

    /** Makes the queue's context current. To be called after the last lock and before the driver is called. */
    void makeCurrent();

    boolean isOf(DeviceMemory memory);

    /** Runs something with the stream; false if the queue is closed and so has no more work. */
    boolean whileOpen(Consumer<Handles.Stream> something);

    /** A mark behind the current work; null if the queue is closed. Release it by {@link #forget}. */
    CudaEvent mark();

    /** Whether the work before a mark has ended. */
    boolean isPast(CudaEvent mark);

    /** Makes later work of another queue wait for this queue's work before a mark. */
    void blocks(MemoryQueue other, CudaEvent mark);

    /** Makes later work of this queue wait for a mark of another queue. Work that is held back for a graph may wait too. */
    void waitFor(CudaEvent mark);

    /** Blocks the calling thread until the work before a mark has ended. */
    void awaitEnd(CudaEvent mark);

    void forget(CudaEvent mark);

    /** Allocates memory for captured work; null if no CUDA graph is being captured or replayed. */
    FixedMemory.Place takeRepeated(long bytes);

    /** Frees memory of {@link #takeRepeated}. {@code alone}: whether no other queue has used it. */
    void giveRepeated(Allocation take, boolean alone);
}
