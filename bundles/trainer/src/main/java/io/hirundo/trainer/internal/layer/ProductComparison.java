package io.hirundo.trainer.internal.layer;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Does a layer's products a second time, with another strategy and on the same operands, and keeps the squares of the
 * differences. Memory is taken for one product at a time. What the other strategy throws is kept, and ends the comparison but not
 * the work that it goes with: other ranks wait for that.
 */
final class ProductComparison implements AutoCloseable {
  private static final int PRODUCTS = 3;
  private static final int OUTPUT = 0;
  private static final int INPUT_GRADIENT = 1;
  private static final int WEIGHT_GRADIENT = 2;

  private final PreparedMatrix present;
  private final PreparedMatrix other;
  private final DType otherType;
  private final Device device;
  private final DType exactType;
  /** For each product the squares of the difference, then those of the present strategy's result. */
  private final Tensor squares;

  /** What the other strategy threw. */
  private Throwable failure;

  /** {@code otherPrecision}: of the layer {@code other}, whose parameters are of the same type as the present ones. */
  ProductComparison(
      PreparedMatrix present, PreparedMatrix other, PrecisionStrategy otherPrecision, Device device, Queue queue) {
    this.present = present;
    this.other = other;
    this.otherType = otherPrecision.activationType();
    this.device = device;
    this.exactType = otherPrecision.parameterType() == DType.FP64 ? DType.FP64 : DType.FP32;
    this.squares = device.allocate(MemoryCategory.WORKSPACE, Shape.of(2 * PRODUCTS), DType.FP64);
    elementwise().fill(queue, squares, 0);
  }

  void forward(Queue queue, Tensor xTK, Tensor yTN) {
    attempt(
        () -> {
          try (Converted x = convert(queue, xTK, otherType);
              Tensor otherTN = device.allocate(MemoryCategory.WORKSPACE, yTN.shape(), otherType);
              Drain _ = queue::drain) {
            other.math().forward(queue, x.tensor(), prepared(queue), otherTN);
            compare(queue, OUTPUT, otherTN, yTN);
          }
        });
  }

  void inputGradient(Queue queue, Tensor dyTN, Tensor dxTK) {
    attempt(
        () -> {
          try (Converted dy = convert(queue, dyTN, otherType);
              Tensor otherTK = device.allocate(MemoryCategory.WORKSPACE, dxTK.shape(), otherType);
              Drain _ = queue::drain) {
            other.math().inputGradient(queue, dy.tensor(), prepared(queue), otherTK);
            compare(queue, INPUT_GRADIENT, otherTK, dxTK);
          }
        });
  }

  /**
   * The present strategy's product goes to the gradient as ever; the other one adds to a copy of it, as it must be able to.
   * Where there is no memory for the copy, the product is done all the same.
   */
  void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
    try (Tensor ownNK = likeIfPossible(dwNK);
        Drain _ = queue::drain) {
      if (ownNK == null) {
        present.math().weightGradient(queue, dyTN, xTK, dwNK);
        return;
      }
      elementwise().fill(queue, ownNK, 0);
      present.math().weightGradient(queue, dyTN, xTK, ownNK);
      elementwise().add(queue, ownNK, dwNK);
      attempt(() -> compareWeightGradient(queue, dyTN, xTK, ownNK));
    }
  }

  /** Null where there is no memory for it, or nothing to compare any more. */
  private Tensor likeIfPossible(Tensor tensor) {
    var made = new Tensor[1];
    attempt(() -> made[0] = device.allocate(MemoryCategory.WORKSPACE, tensor.shape(), tensor.dtype()));
    return made[0];
  }

  private void compareWeightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor ownNK) {
    try (Converted dy = convert(queue, dyTN, otherType);
        Converted x = convert(queue, xTK, otherType);
        Tensor otherNK = device.allocate(MemoryCategory.WORKSPACE, ownNK.shape(), ownNK.dtype());
        Drain _ = queue::drain) {
      elementwise().copy(queue, ownNK, otherNK);
      other.math().weightGradient(queue, dy.tensor(), x.tensor(), otherNK);
      subtract(queue, ownNK, otherNK);
      compare(queue, WEIGHT_GRADIENT, otherNK, ownNK);
    }
  }

  /** The weight is new, or has moved. */
  void weightChanged(Queue queue) {
    attempt(() -> other.prepare(queue));
  }

  /** Nothing more, once it has failed. */
  private void attempt(Runnable work) {
    if (failure != null) {
      return;
    }
    try {
      work.run();
    } catch (RuntimeException | LinkageError thrown) {
      failure = thrown;
    }
  }

  private PreparedWeight prepared(Queue queue) {
    if (other.prepared() == null) {
      other.prepare(queue);
    }
    return other.prepared();
  }

  private void compare(Queue queue, int product, Tensor found, Tensor expected) {
    try (Converted exact = convert(queue, expected, exactType);
        Tensor difference = device.allocate(MemoryCategory.WORKSPACE, found.shape(), exactType);
        Drain _ = queue::drain) {
      elementwise().copy(queue, found, difference);
      subtract(queue, exact.tensor(), difference);
      var optimizer = device.kernels().optimizer();
      optimizer.addSumOfSquares(queue, difference, squares.rows(2L * product, 1));
      optimizer.addSumOfSquares(queue, exact.tensor(), squares.rows(2L * product + 1, 1));
    }
  }

  private void subtract(Queue queue, Tensor x, Tensor from) {
    elementwise().scale(queue, from, -1);
    elementwise().add(queue, x, from);
    elementwise().scale(queue, from, -1);
  }

  /** Closed before the memory that queued work may still use, also when something was thrown. */
  @FunctionalInterface
  private interface Drain extends AutoCloseable {
    @Override
    void close();
  }

  /** An operand in the type that is wanted: itself, or a copy that closes with this. */
  private record Converted(Tensor tensor, boolean copied) implements AutoCloseable {
    @Override
    public void close() {
      if (copied) {
        tensor.close();
      }
    }
  }

  private Converted convert(Queue queue, Tensor tensor, DType type) {
    if (tensor.dtype() == type) {
      return new Converted(tensor, false);
    }
    Tensor copy = device.allocate(MemoryCategory.WORKSPACE, tensor.shape(), type);
    elementwise().copy(queue, tensor, copy);
    return new Converted(copy, true);
  }

  private ElementwiseKernels elementwise() {
    return device.kernels().elementwise();
  }

  /** What has been found so far; waits for the queue. */
  ProductErrors errors(Queue queue) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(squares.byteSize(), 8);
      device.transfer().download(queue, squares, host);
      queue.drain();
      double[] found = host.toArray(ValueLayout.JAVA_DOUBLE);
      return new ProductErrors(
          present.weight().spec().name(), relative(found, OUTPUT), relative(found, INPUT_GRADIENT), relative(found, WEIGHT_GRADIENT),
          failure == null ? "" : failure.toString());
    }
  }

  private static double relative(double[] squares, int product) {
    double difference = squares[2 * product];
    double expected = squares[2 * product + 1];
    if (difference == 0) {
      return 0;
    }
    return expected > 0 && Double.isFinite(difference) ? Math.sqrt(difference / expected) : Double.POSITIVE_INFINITY;
  }

  @Override
  public void close() {
    squares.close();
  }
}
