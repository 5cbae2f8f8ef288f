package io.hirundo.devicecuda.internal.suite;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * How fast memory is copied: by the copy kernel, which reads and writes, and to and from pageable host memory. By the host's
 * clock, over enough turns that the launches do not matter.
 */
record CopyRates(double withinBytesPerSecond, double uploadBytesPerSecond, double downloadBytesPerSecond) {
  private static final int TURNS = 20;
  private static final int HOST_TURNS = 3;

  static CopyRates measure(Device device, long bytes) {
    Shape shape = Shape.of(bytes / Float.BYTES);
    try (Arena arena = Arena.ofConfined();
        Queue queue = device.newQueue("copies");
        Tensor from = device.allocate(MemoryCategory.WORKSPACE, shape, DType.FP32);
        Tensor to = device.allocate(MemoryCategory.WORKSPACE, shape, DType.FP32)) {
      MemorySegment host = arena.allocate(from.byteSize());
      device.kernels().elementwise().fill(queue, from, 1);
      double within = perSecond(queue, TURNS, 2 * from.byteSize(), () -> device.kernels().elementwise().copy(queue, from, to));
      double up = perSecond(queue, HOST_TURNS, from.byteSize(), () -> device.transfer().upload(queue, host, to));
      double down = perSecond(queue, HOST_TURNS, from.byteSize(), () -> device.transfer().download(queue, from, host));
      return new CopyRates(within, up, down);
    }
  }

  /** After one turn that does not count. */
  private static double perSecond(Queue queue, int turns, long bytes, Runnable turn) {
    turn.run();
    queue.drain();
    long begin = System.nanoTime();
    for (int i = 0; i < turns; i++) {
      turn.run();
    }
    queue.drain();
    return turns * bytes / ((System.nanoTime() - begin) / 1e9);
  }
}
