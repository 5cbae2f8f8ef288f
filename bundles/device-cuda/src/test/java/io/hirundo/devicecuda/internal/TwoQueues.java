package io.hirundo.devicecuda.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.Books;
import java.util.function.IntConsumer;

/** A queue with graphs, another queue, and a sum of what the other found in tensors of the first. */
final class TwoQueues implements AutoCloseable {
  static final int ROUNDS = 14;
  static final Shape SHAPE = Shape.of(1000);

  final Device device;
  final Queue queue;
  final Queue other;
  final ElementwiseKernels kernels;
  final Tensor sum;

  TwoQueues(StubCuda stub) {
    device = stub.backendWithGraphs().open(0, new Books());
    queue = device.newQueue("queue");
    other = device.newQueue("other");
    kernels = device.kernels().elementwise();
    sum = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
    kernels.fill(other, sum, 0);
    // The first is the one that this thread takes memory for.
    kernels.fill(queue, take(), 0);
  }

  Tensor take() {
    return device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
  }

  /** Fills a tensor in several kernels, which are a graph's. */
  Tensor filled(double value) {
    Tensor tensor = take();
    kernels.fill(queue, tensor, -1);
    for (int i = 0; i < 4; i++) {
      kernels.scale(queue, tensor, 1);
    }
    kernels.fill(queue, tensor, value);
    return tensor;
  }

  /** The other queue adds it to the sum, as late as it likes. On another thread: this one goes on to take memory for the first. */
  void lend(Tensor tensor) {
    var filled = queue.record();
    elsewhere(
        () -> {
          other.await(filled);
          // A piece of work is done each time that somebody asks whether it has been.
          for (int i = 0; i < 40; i++) {
            kernels.scale(other, sum, 1);
          }
          kernels.add(other, tensor, sum);
        });
  }

  /** Another thread does something, to its end. */
  static void elsewhere(Runnable something) {
    var thread = new Thread(something);
    var failures = new Throwable[1];
    thread.setUncaughtExceptionHandler((ended, failure) -> failures[0] = failure);
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (failures[0] != null) {
      throw new AssertionError("the other thread failed", failures[0]);
    }
  }

  /** The same work, more often than it takes until it is in graphs. */
  void rounds(IntConsumer round) {
    for (int i = 0; i < ROUNDS; i++) {
      try (var _ = queue.repetition("work")) {
        round.accept(i);
      }
    }
  }

  double[] read(Queue by, Tensor tensor) {
    return CudaDeviceTest.read(device, by, tensor);
  }

  @Override
  public void close() {
    device.close();
  }
}
