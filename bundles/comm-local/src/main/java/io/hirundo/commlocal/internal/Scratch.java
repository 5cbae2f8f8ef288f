package io.hirundo.commlocal.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.Map;

/**
 * Temporary memory of one rank in one group, for one lane. A chunk of a data type is taken in the rank's own thread, by the
 * first collective that needs it, and kept until the world is closed: what is live follows from the program's order alone.
 */
final class Scratch implements AutoCloseable {
  /** Fits a processor's second-level cache together with the operands. */
  static final long CHUNK_ELEMENTS = 32 * 1024;

  private final Device device;
  private final Map<DType, Tensor> chunks = new EnumMap<>(DType.class);

  Scratch(Device device) {
    this.device = device;
  }

  /** {@link #CHUNK_ELEMENTS} elements. */
  Tensor chunk(DType dtype) {
    return chunks.computeIfAbsent(
        dtype, type -> device.allocate(MemoryCategory.COMMUNICATION, Shape.of(CHUNK_ELEMENTS), type));
  }

  @Override
  public void close() {
    chunks.values().forEach(Tensor::close);
    chunks.clear();
  }
}
