package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BiConsumer;

/** Values between host memory and a device, for set-up and results; not for the step. */
final class HostCopies {
  private HostCopies() {}

  /**
   * Host memory of floating elements.
   *
   * @param memory the bytes
   * @param dtype their type
   */
  record HostFloats(MemorySegment memory, DType dtype) {
    void set(long index, double value) {
      switch (dtype) {
        case FP64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
        case FP32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
        default -> throw new IllegalArgumentException("parameters of type " + dtype);
      }
    }
  }

  /** Fills the parameter's value, part by part, from what {@code filler} writes into host memory. */
  static void fillParts(
      Device device, Queue queue, Parameter parameter, BiConsumer<ParameterPart, HostFloats> filler) {
    forEachPart(
        parameter,
        parameter.value(),
        (part, view) -> {
          try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(view.byteSize(), 64);
            filler.accept(part, new HostFloats(host, view.dtype()));
            device.transfer().upload(queue, host, view);
            queue.drain();
          }
        });
  }

  /** Calls {@code action} with the rows of {@code whole}, of the parameter's shape, that belong to each part. */
  static void forEachPart(Parameter parameter, Tensor whole, BiConsumer<ParameterPart, Tensor> action) {
    long row = 0;
    for (ParameterPart part : parameter.spec().parts()) {
      long rows = part.shape().dim(0);
      action.accept(part, whole.rows(row, rows));
      row += rows;
    }
  }

  /** Reads an FP64 scalar; waits for the queue. */
  static double readScalar(Device device, Queue queue, Tensor scalar1) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(8, 8);
      device.transfer().download(queue, scalar1, host);
      queue.drain();
      return host.get(ValueLayout.JAVA_DOUBLE, 0);
    }
  }

  /** Copies host integers to a new tensor's memory. */
  static void upload(Device device, Queue queue, int[] values, Tensor tensor) {
    upload(device, queue, MemorySegment.ofArray(values), tensor);
  }

  static void upload(Device device, Queue queue, float[] values, Tensor tensor) {
    upload(device, queue, MemorySegment.ofArray(values), tensor);
  }

  private static void upload(Device device, Queue queue, MemorySegment heap, Tensor tensor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(tensor.byteSize(), 64);
      host.copyFrom(heap);
      device.transfer().upload(queue, host, tensor);
      queue.drain();
    }
  }
}
