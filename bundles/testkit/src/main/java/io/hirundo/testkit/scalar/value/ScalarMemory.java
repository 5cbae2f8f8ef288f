package io.hirundo.testkit.scalar.value;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Memory of a tensor and its views. The garbage collector frees it: to close a shared arena, the VM stops all threads, and tests close many thousand
 * tensors. Only memory that kernels of others get as a segment has such an arena, so that they cannot access it later either.
 */
final class ScalarMemory {
    private final MemorySegment bytes;
    private volatile boolean closed;
    private Arena arena;
    private MemorySegment shared;

    ScalarMemory(long byteSize) {
        bytes = Arena.ofAuto().allocate(byteSize, 64).fill((byte) 0xff);
    }

    /** @throws IllegalStateException if it is closed */
    void requireOpen(ScalarTensor user) {
        if (closed) {
            throw new IllegalStateException("the tensor " + user + " was used after it was closed");
        }
    }

    /** For accesses that begin with {@link #requireOpen}. */
    MemorySegment bytes() {
        return bytes;
    }

    /** The same memory as a segment that {@link #close} closes. */
    synchronized MemorySegment shared(ScalarTensor user) {
        requireOpen(user);
        if (arena == null) {
            arena = Arena.ofShared();
            // Whoever has this segment keeps the memory, even after the tensor is unreachable.
            shared = bytes.reinterpret(arena, closed -> Reference.reachabilityFence(bytes));
        }
        return shared;
    }

    synchronized void close(ScalarTensor user) {
        requireOpen(user);
        closed = true;
        if (arena != null) {
            arena.close();
        }
    }
}
