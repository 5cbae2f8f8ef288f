package io.hirundo.trainer.internal.tensors;

import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.tensors.HostCopies.HostFloats;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

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

  /** A chunk in progress; any free thread takes its next block. */
  static final class Making implements AutoCloseable {
    private final InitialChunk chunk;
    private final HostFloats host;
    private final AtomicLong nextElement = new AtomicLong();
    private final List<? extends ForkJoinTask<?>> helpers;

    private Making(InitialChunk chunk, MemorySegment memory) {
      this.chunk = chunk;
      host = new HostFloats(memory, chunk.target.dtype());
      helpers =
          IntStream.range(0, ForkJoinPool.getCommonPoolParallelism())
              .mapToObj(i -> ForkJoinPool.commonPool().submit(this::makeBlocks))
              .toList();
    }

    /** Helps, and returns when all values are written; after a failure, when no thread writes any more. */
    @Override
    public void close() {
      try {
        makeBlocks();
      } finally {
        helpers.forEach(ForkJoinTask::quietlyJoin);
      }
      helpers.forEach(ForkJoinTask::join);
    }

    private void makeBlocks() {
      long elements = chunk.part.shape().elements();
      for (long at = claim(); at < elements; at = claim()) {
        chunk.write(host, at, Math.min(at + BLOCK_ELEMENTS, elements));
      }
    }

    private long claim() {
      return nextElement.getAndAdd(BLOCK_ELEMENTS);
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
