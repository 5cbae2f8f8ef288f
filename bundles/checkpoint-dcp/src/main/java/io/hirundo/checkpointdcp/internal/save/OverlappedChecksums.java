package io.hirundo.checkpointdcp.internal.save;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sums each window while it is being written: one after the other, the disk would have nothing to do during each checksum. Belongs to the
 * thread that writes.
 */
final class OverlappedChecksums implements AutoCloseable {
    /** Less is summed sooner than it is handed to another thread. */
    private static final long LEAST_BYTES = 512 << 10;

    /** A write. */
    @FunctionalInterface
    interface Write<E extends Exception> {
        void run() throws E;
    }

    private final Checksums checksums;
    /** Begins with the first large window. */
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("hirundo-checksums").factory());

    OverlappedChecksums(Checksums checksums) {
        this.checksums = checksums;
    }

    /** Returns when the window is summed and written, so that its memory can be used again; also where writing fails. */
    <E extends Exception> void add(Window window, Write<E> write) throws E {
        if (window.bytes().byteSize() < LEAST_BYTES) {
            checksums.add(window);
            write.run();
            return;
        }
        Future<?> sum = thread.submit(() -> checksums.add(window));
        try {
            write.run();
        } finally {
            await(sum);
        }
    }

    /** An interrupt is kept for later. */
    private static void await(Future<?> sum) {
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                sum.get();
                ended = true;
            } catch (InterruptedException later) {
                interrupted = true;
            } catch (ExecutionException e) {
                throw new IllegalStateException("a window could not be summed", e.getCause());
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        thread.close();
    }
}
