package io.hirundo.lib.engine.tensors;

import io.hirundo.lib.engine.tensors.HostCopies.HostFloats;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Initial values of a rectangle of a tensor.
 *
 * @param part its place in the full tensor
 * @param values of the full tensor
 * @param target on the device
 */
record InitialChunk(ParameterPart part, InitialValues values, Tensor target) {
    /** Elements per block of a thread: under a millisecond of work. */
    private static final long BLOCK_ELEMENTS = 1L << 14;

    /** Starts writing the values to host memory on the common pool; closing the result waits for them. */
    Making begin(MemorySegment host) {
        return new Making(this, host);
    }

    /** A chunk in progress; any free thread takes its next block. A thread of the common pool that comes too late is not waited for. */
    static final class Making implements AutoCloseable {
        private final InitialChunk chunk;
        private final HostFloats host;
        private final long blocks;
        private final AtomicLong nextBlock = new AtomicLong();
        private final CountDownLatch unfinished;
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        private Making(InitialChunk chunk, MemorySegment memory) {
            this.chunk = chunk;
            host = new HostFloats(memory, chunk.target.dtype());
            blocks = Math.ceilDiv(chunk.part.shape().elements(), BLOCK_ELEMENTS);
            unfinished = new CountDownLatch(Math.toIntExact(blocks));
            for (int helper = 0; helper < ForkJoinPool.getCommonPoolParallelism(); helper++) {
                ForkJoinPool.commonPool().execute(this::makeBlocks);
            }
        }

        /** Helps, and returns when all values are written; after a failure, when no thread writes any more. */
        @Override
        public void close() {
            makeBlocks();
            awaitBlocks();
            switch (failure.get()) {
                case null -> {}
                case Error error -> throw error;
                case RuntimeException defect -> throw defect;
                default -> throw new AssertionError(failure.get());
            }
        }

        private void makeBlocks() {
            for (long block = nextBlock.getAndIncrement(); block < blocks; block = nextBlock.getAndIncrement()) {
                try {
                    long at = block * BLOCK_ELEMENTS;
                    chunk.write(
                            host,
                            at,
                            Math.min(at + BLOCK_ELEMENTS, chunk.part.shape().elements()));
                } catch (RuntimeException | Error thrown) {
                    failure.compareAndSet(null, thrown);
                } finally {
                    unfinished.countDown();
                }
            }
        }

        /** An interrupt is restored later: the memory must not be freed under a thread that writes. */
        private void awaitBlocks() {
            boolean interrupted = false;
            while (unfinished.getCount() > 0) {
                try {
                    unfinished.await();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Writes the elements [begin, end), row after row. */
    private void write(HostFloats host, long begin, long end) {
        boolean isSingle = host.dtype() != DType.FP64;
        long columns = part.shape().dim(part.shape().rank() - 1);
        long at = begin;
        while (at < end) {
            long rowEnd = Math.min((at / columns + 1) * columns, end);
            long shift = indexInWhole(at) - at;
            for (; at < rowEnd; at++) {
                host.set(at, isSingle ? values.floatAt(at + shift) : values.at(at + shift));
            }
        }
    }

    private long indexInWhole(long element) {
        long remaining = element;
        long stride = 1;
        long index = 0;
        for (int dim = part.shape().rank() - 1; dim >= 0; dim--) {
            long extent = part.shape().dim(dim);
            index += (remaining % extent + part.offset().get(dim)) * stride;
            remaining /= extent;
            stride *= part.globalShape().dim(dim);
        }
        return index;
    }
}
