package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.MatrixScaledKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** The largest magnitudes of one operand in the last steps, on the device. */
final class AmaxHistory implements AutoCloseable {
  private final Device device;
  private final MatrixScaledKernels kernels;
  private final int length;
  private final double room;
  /** The magnitude that scales are made of, that of the present step so far, then those of the last steps, in no order. */
  private final Tensor all;
  private final Tensor amax;
  private final Tensor present;
  private long steps;

  /**
   * With nothing in it.
   *
   * @param length steps that are remembered
   * @param mostRecent whether a scale is made of the last step alone
   * @param margin room for larger magnitudes, as a power of two
   */
  AmaxHistory(Device device, MatrixScaledKernels kernels, int length, boolean mostRecent, int margin) {
    this.device = device;
    this.kernels = kernels;
    this.length = mostRecent ? 1 : length;
    this.room = Math.scalb(1.0, margin);
    this.all = device.allocate(MemoryCategory.WORKSPACE, Shape.of(2 + this.length), DType.FP32);
    this.amax = all.rows(0, 1);
    this.present = all.rows(1, 1);
  }

  /** Whether a step is remembered. */
  boolean isEmpty() {
    return steps == 0;
  }

  /** What scales are made of; not while this {@link #isEmpty}. */
  Tensor amax() {
    return amax;
  }

  /** Sees an operand of the present step, after others of that step where {@code accumulate}. */
  void see(Queue queue, Tensor x, boolean accumulate) {
    kernels.maximum(queue, x, present, accumulate);
  }

  /** The present step is over; what was seen in it counts from now on. */
  void endStep(Queue queue) {
    var elementwise = device.kernels().elementwise();
    elementwise.copy(queue, present, all.rows(2 + steps % length, 1));
    steps++;
    kernels.maximum(queue, all.rows(2, Math.min(steps, length)), amax, false);
    elementwise.scale(queue, amax, room);
  }

  @Override
  public void close() {
    all.close();
  }
}
