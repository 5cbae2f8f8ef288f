package io.hirundo.mesh.support;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Temporary memory of one rank in one group, for one lane. A chunk is taken in the rank's own thread, by the first
 * collective that needs one of its type or a larger one, and kept until the world is closed: what is live follows from the
 * program's order alone. Sizes are powers of two, so that all chunks of a type together are less than twice the largest.
 */
public final class Scratch implements AutoCloseable {
  /**
   * Of the largest chunk. Longer sums are made piece by piece, but not of small pieces: each kernel may have to wait for one
   * that computes.
   */
  public static final long MAX_ELEMENTS = 1 << 20;

  private final Device device;
  private final List<Tensor> chunks = new ArrayList<>();

  Scratch(Device device) {
    this.device = device;
  }

  /** As many elements, or {@link #MAX_ELEMENTS} where that is less. Later collectives get the same memory. */
  Tensor chunk(DType dtype, long elements) {
    long needed = Math.min(elements, MAX_ELEMENTS);
    for (Tensor chunk : chunks) {
      if (chunk.dtype() == dtype && chunk.elements() >= needed) {
        return chunk;
      }
    }
    long size = Math.max(1, Long.highestOneBit(2 * needed - 1));
    Tensor chunk = device.allocate(MemoryCategory.COMMUNICATION, Shape.of(size), dtype);
    chunks.add(chunk);
    return chunk;
  }

  @Override
  public void close() {
    chunks.forEach(Tensor::close);
    chunks.clear();
  }
}
