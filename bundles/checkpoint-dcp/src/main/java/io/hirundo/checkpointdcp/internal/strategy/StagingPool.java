package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.CheckpointException;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

/**
 * A bounded number of buffers in host memory. Each is made, and its pages touched, when it is needed for the first time, and kept
 * until the pool is closed. Thread-safe.
 */
public final class StagingPool implements AutoCloseable {
    private final int bufferBytes;
    private final Semaphore left;
    private final ConcurrentLinkedDeque<MemorySegment> free = new ConcurrentLinkedDeque<>();
    private final Arena arena = Arena.ofShared();

    /** {@code limitBytes}: of all buffers together. */
    public StagingPool(long limitBytes, int bufferBytes) {
        this.bufferBytes = bufferBytes;
        this.left = new Semaphore(Math.toIntExact(Math.min(limitBytes / bufferBytes, Integer.MAX_VALUE)));
    }

    int bufferBytes() {
        return bufferBytes;
    }

    /** Null where all are in use. The contents are anything. */
    MemorySegment tryTake() {
        return left.tryAcquire() ? one() : null;
    }

    /** Waits until there is one. */
    MemorySegment take() {
        left.acquireUninterruptibly();
        return one();
    }

    private MemorySegment one() {
        // The one that was given back last is the likeliest to be in a cache.
        MemorySegment buffer = free.pollFirst();
        return buffer == null ? another() : buffer;
    }

    private MemorySegment another() {
        try {
            return arena.allocate(bufferBytes, DataFile.ALIGNMENT_BYTES);
        } catch (OutOfMemoryError none) {
            left.release();
            throw new CheckpointException(
                    "there is no host memory for another buffer of " + bufferBytes
                            + " bytes: lower checkpoint.strategy.options.stagingBytes, so that saving waits for the disk",
                    none);
        }
    }

    void give(MemorySegment buffer) {
        free.addFirst(buffer);
        left.release();
    }

    /** All buffers have been given back. */
    @Override
    public void close() {
        arena.close();
    }
}
