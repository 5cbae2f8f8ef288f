package io.hirundo.checkpointdcp.internal.save;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Computes the checksums of a window while the window is written, so that the disk is not idle meanwhile. Used by the writer thread
 * alone.
 */
final class OverlappedChecksums implements AutoCloseable {
    /** For smaller windows, the handoff to another thread takes longer than the checksum. */
    private static final long MIN_OVERLAPPED_BYTES = 512 << 10;

    /** The write of a window. */
    @FunctionalInterface
    interface Write<E extends Exception> {
        void run() throws E;
    }

    private final Checksums checksums;
    /** The executor starts its thread with the first large window. */
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("hirundo-checksums").factory());

    OverlappedChecksums(Checksums checksums) {
        this.checksums = checksums;
    }

    /** Returns when both the checksums and the write have ended, also after a failure, so that the buffer can be reused. */
    <E extends Exception> void add(Window window, Write<E> write) throws E {
        if (window.bytes().byteSize() < MIN_OVERLAPPED_BYTES) {
            checksums.add(window);
            write.run();
            return;
        }
        Future<?> checksum = thread.submit(() -> checksums.add(window));
        try {
            write.run();
        } finally {
            await(checksum);
        }
    }

    /** Waits through interrupts, and restores the interrupt at the end. */
    private static void await(Future<?> checksum) {
        boolean wasInterrupted = false;
        boolean isDone = false;
        while (!isDone) {
            try {
                checksum.get();
                isDone = true;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            } catch (ExecutionException e) {
                throw new IllegalStateException("a checksum could not be computed", e.getCause());
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        thread.close();
    }
}
