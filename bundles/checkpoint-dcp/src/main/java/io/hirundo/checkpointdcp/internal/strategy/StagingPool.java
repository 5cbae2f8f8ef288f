package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.CheckpointException;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

/**
 * A bounded pool of staging buffers in host memory. A buffer is allocated at its first use, and freed when the pool is closed.
 * Thread-safe.
 */
public final class StagingPool implements AutoCloseable {
    private final int bufferBytes;
    private final Semaphore available;
    private final ConcurrentLinkedDeque<MemorySegment> free = new ConcurrentLinkedDeque<>();
    private final Arena arena = Arena.ofShared();

    /** {@code limitBytes}: bound of all buffers together. */
    public StagingPool(long limitBytes, int bufferBytes) {
        this.bufferBytes = bufferBytes;
        this.available = new Semaphore(Math.toIntExact(Math.min(limitBytes / bufferBytes, Integer.MAX_VALUE)));
    }

    int bufferBytes() {
        return bufferBytes;
    }

    /** A buffer with arbitrary contents; null where all are in use. */
    MemorySegment tryTake() {
        return available.tryAcquire() ? reuseOrAllocate() : null;
    }

    /** As {@link #tryTake}; waits until a buffer is free. */
    MemorySegment take() {
        available.acquireUninterruptibly();
        return reuseOrAllocate();
    }

    private MemorySegment reuseOrAllocate() {
        // The buffer that was returned last is the likeliest to be in a cache.
        MemorySegment buffer = free.pollFirst();
        return buffer == null ? allocate() : buffer;
    }

    private MemorySegment allocate() {
        try {
            return arena.allocate(bufferBytes, DataFile.ALIGNMENT_BYTES);
        } catch (OutOfMemoryError e) {
            available.release();
            throw new CheckpointException(
                    "there is no host memory for another buffer of " + bufferBytes
                            + " bytes: lower checkpoint.strategy.options.stagingBytes, so that saving waits for the disk",
                    e);
        }
    }

    /** Returns a buffer. */
    void give(MemorySegment buffer) {
        free.addFirst(buffer);
        available.release();
    }

    /** Frees the buffers, all of which must have been returned. */
    @Override
    public void close() {
        arena.close();
    }
}
