package io.hirundo.devicecuda.internal.memory;

import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import io.hirundo.devicecuda.internal.event.EventPool;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * A block of the driver's pool, allocated and freed in the order of its home queue. Another queue waits for the allocation before it uses
 * the block, and the block returns to the driver only after the work of other queues with it has ended. Guarded by the device's memory.
 */
final class PoolBlock {
    /** The use of freed memory by a queue, and its end. */
    private record Use(MemoryQueue queue, CudaEvent end) {}

    private final Context context;
    private final EventPool events;
    private final long bytes;
    private final Handles.Memory memory = new Handles.Memory();
    /** Null for none. */
    private final MemoryQueue home;

    private final Handles.Stream spare;

    private CudaEvent taken;
    /** Queues other than its home. */
    private final Set<MemoryQueue> users = new HashSet<>(2);

    private final Deque<Use> uses = new ArrayDeque<>(0);

    /**
     * Allocates nothing yet; zero bytes are never allocated.
     *
     * @param home null for none
     * @param spare the stream to use without a home, or after the home is closed
     */
    PoolBlock(Context context, EventPool events, long bytes, MemoryQueue home, Handles.Stream spare) {
        this.context = context;
        this.events = events;
        this.bytes = bytes;
        this.home = home;
        this.spare = spare;
    }

    long bytes() {
        return bytes;
    }

    /** Allocates the memory; returns the driver's result. */
    int allocate() {
        var result = new int[1];
        atHome(stream -> {
            context.makeCurrent();
            result[0] = JCudaDriver.cuMemAllocAsync(memory, bytes, stream);
            taken = result[0] == CUresult.CUDA_SUCCESS ? events.mark(stream) : null;
        });
        return result[0];
    }

    /** Runs something in the order of its home. The work of a closed home has ended. */
    private void atHome(Consumer<Handles.Stream> something) {
        if (home == null || !home.whileOpen(something)) {
            something.accept(spare);
        }
    }

    /** The address; 0 for zero bytes. */
    long address() {
        return memory.address();
    }

    CUdeviceptr pointer(long furtherBytes) {
        return memory.withByteOffset(furtherBytes);
    }

    /** Marks the block as used by another queue. */
    void use(MemoryQueue queue) {
        if (queue != home && taken != null && users.add(queue)) {
            Handles.Stream stream = queue.stream();
            queue.makeCurrent();
            taken.blocks(stream);
        }
    }

    /** Whether only its home has used it. */
    boolean isHomesAlone() {
        return users.isEmpty();
    }

    /** Ends the use by all queues. */
    void endUse() {
        for (MemoryQueue user : users) {
            CudaEvent end = user.mark();
            if (end != null) {
                uses.add(new Use(user, end));
            }
        }
    }

    /** Whether the work of all queues but its home has ended. */
    boolean isUnused() {
        while (!uses.isEmpty() && uses.peek().queue().isPast(uses.peek().end())) {
            Use past = uses.poll();
            past.queue().forget(past.end());
        }
        return uses.isEmpty();
    }

    void awaitUses() {
        for (Use use : uses) {
            use.queue().awaitEnd(use.end());
            use.queue().forget(use.end());
        }
        uses.clear();
    }

    /** Returns the block to the driver. */
    void free() {
        if (bytes > 0) {
            atHome(stream -> {
                context.makeCurrent();
                Result.check("cuMemFreeAsync", JCudaDriver.cuMemFreeAsync(memory, stream));
            });
            events.forget(taken);
        }
    }
}
