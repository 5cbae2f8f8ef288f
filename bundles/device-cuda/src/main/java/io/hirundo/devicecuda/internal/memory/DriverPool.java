package io.hirundo.devicecuda.internal.memory;

import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import io.hirundo.devicecuda.internal.event.EventPool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * The driver's memory pool. Freed memory that other queues than its home still use returns to the pool when they are done, or when it is
 * needed. Guarded by the device's memory.
 */
public final class DriverPool {
    private final Context context;
    private final Runnable trim;
    private final EventPool events;
    /** The home of memory allocated by threads without a queue, and of memory whose queue is closed. */
    private final Handles.Stream spare = new Handles.Stream();
    /** Freed memory that is not yet returned to the driver, in order. */
    private final Deque<PoolBlock> returned = new ArrayDeque<>();

    private final Set<FixedMemory> fixed = new LinkedHashSet<>();
    private long returnedBytes;

    /** {@code trim}: releases unused pool memory to the driver. */
    public DriverPool(Context context, Runnable trim, EventPool events) {
        this.context = context;
        this.trim = trim;
        this.events = events;
        Result.check("cuStreamCreate", JCudaDriver.cuStreamCreate(spare, CUstream_flags.CU_STREAM_NON_BLOCKING));
    }

    /**
     * Allocates memory.
     *
     * @param home null for none
     * @return empty if the GPU has not enough memory
     */
    Optional<PoolBlock> take(long bytes, MemoryQueue home) {
        var block = new PoolBlock(context, events, bytes, home, spare);
        return bytes == 0 || allocate(block) ? Optional.of(block) : Optional.empty();
    }

    private boolean allocate(PoolBlock block) {
        int result = block.allocate();
        if (isLacking(result) && awaitReturned()) {
            result = block.allocate();
        }
        if (isLacking(result)) {
            // The pool may have enough memory, but fragmented or in queues with pending work.
            result = allocateAlone(block);
        }
        if (isLacking(result) && takeIdleBack()) {
            result = allocateAlone(block);
        }
        if (!isLacking(result)) {
            Result.check("cuMemAllocAsync", result);
        }
        return !isLacking(result);
    }

    private static boolean isLacking(int result) {
        return result == CUresult.CUDA_ERROR_OUT_OF_MEMORY;
    }

    private int allocateAlone(PoolBlock block) {
        context.synchronize();
        trim.run();
        return block.allocate();
    }

    /** Bytes of idle memory of captured work. */
    long idleBytes() {
        return fixed.stream()
                .filter(FixedMemory::isIdle)
                .mapToLong(memory -> memory.block().bytes())
                .sum();
    }

    /** Whether captured work has memory. */
    boolean hasFixed() {
        return !fixed.isEmpty();
    }

    /** Reclaims idle memory of captured work; false if there is none. */
    boolean takeIdleBack() {
        var idle = fixed.stream().filter(FixedMemory::isIdle).toList();
        idle.forEach(this::go);
        awaitReturned();
        return !idle.isEmpty();
    }

    /** Allocates and holds memory for fixed offsets, as {@link #take}. */
    Optional<FixedMemory> takeFixed(long bytes, MemoryQueue home) {
        // The allocations that move there were spread over the pool, which would keep that memory.
        awaitReturned();
        context.synchronize();
        trim.run();
        Optional<FixedMemory> memory = take(bytes, home).map(FixedMemory::new);
        memory.ifPresent(fixed::add);
        return memory;
    }

    /** Frees the memory if it is no longer needed. */
    void giveBackWhereOver(FixedMemory memory) {
        if (memory.isOver() && fixed.contains(memory)) {
            go(memory);
        }
    }

    private void go(FixedMemory memory) {
        memory.go();
        fixed.remove(memory);
        giveBack(memory.block());
    }

    void giveBack(PoolBlock block) {
        block.endUse();
        if (block.isUnused()) {
            block.free();
        } else {
            returned.add(block);
            returnedBytes += block.bytes();
        }
    }

    /** Bytes of freed memory that is still in use. */
    long returnedBytes() {
        while (!returned.isEmpty() && returned.peek().isUnused()) {
            freeNext();
        }
        return returnedBytes;
    }

    /** Waits until freed memory is no longer in use; false if there is none. */
    boolean awaitReturned() {
        boolean any = !returned.isEmpty();
        while (!returned.isEmpty()) {
            returned.peek().awaitUses();
            freeNext();
        }
        return any;
    }

    private void freeNext() {
        PoolBlock block = returned.poll();
        returnedBytes -= block.bytes();
        block.free();
    }

    /** The queues are closed before, and all memory is freed. */
    void close() {
        for (FixedMemory memory : new ArrayList<>(fixed)) {
            go(memory);
        }
        awaitReturned();
        context.makeCurrent();
        Result.check("the end of the device's memory", JCudaDriver.cuStreamSynchronize(spare));
        Result.check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(spare));
        // Releases memory for other processes, because this process may never need as much again.
        trim.run();
    }
}
