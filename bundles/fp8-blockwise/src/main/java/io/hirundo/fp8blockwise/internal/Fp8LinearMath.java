package io.hirundo.fp8blockwise.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.BlockScaledKernels;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaleRule;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Products of quantized operands. Every operand is quantized along what a product contracts, always from the values
 * themselves: weights in squares, once a step in both directions; activations and gradients in rows of 128, in memory of the
 * product. Sums and the weight gradient are FP32.
 */
final class Fp8LinearMath implements LinearMath {
  private final Device device;
  private final BlockScaledKernels kernels;
  private final LinearShape linear;
  private final ScaleRule rule;
  private boolean closed;

  Fp8LinearMath(Device device, BlockScaledKernels kernels, LinearShape linear, ScaleRule rule) {
    this.device = device;
    this.kernels = kernels;
    this.linear = linear;
    this.rule = rule;
  }

  /** A weight [N, K] and its transpose [K, N]. */
  private record Weight(Fp8Matrix rows, Fp8Matrix columns) implements PreparedWeight {
    @Override
    public void close() {
      try {
        rows.close();
      } finally {
        columns.close();
      }
    }
  }

  @Override
  public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
    requireOpen();
    Shape expected = Shape.of(linear.outputs(), linear.inputs());
    if (!wNK.shape().equals(expected) || wNK.dtype() != DType.FP32) {
      throw new IllegalArgumentException(
          "weight of " + linear.name() + " must be " + DType.FP32 + " " + expected + ", not " + wNK.dtype() + " " + wNK.shape());
    }
    Weight weight = reuse != null ? weight(reuse) : allocateWeight();
    kernels.quantize(queue, wNK, rule, weight.rows.scaled());
    kernels.quantizeTransposed(queue, wNK, rule, weight.columns.scaled());
    return weight;
  }

  private Weight allocateWeight() {
    Fp8Matrix rows =
        Fp8Matrix.allocate(device, MemoryCategory.WEIGHTS, ScaleBlock.SQUARE, linear.outputs(), linear.inputs());
    try {
      return new Weight(
          rows, Fp8Matrix.allocate(device, MemoryCategory.WEIGHTS, ScaleBlock.SQUARE, linear.inputs(), linear.outputs()));
    } catch (RuntimeException failure) {
      rows.close();
      throw failure;
    }
  }

  @Override
  public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
    Weight own = weight(weight);
    try (Fp8Matrix x = rows(queue, xTK)) {
      kernels.multiplyNT(queue, x.scaled(), own.rows.scaled(), yTN, false);
    }
  }

  @Override
  public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
    Weight own = weight(weight);
    try (Fp8Matrix dy = rows(queue, dyTN)) {
      kernels.multiplyNT(queue, dy.scaled(), own.columns.scaled(), dxTK, false);
    }
  }

  @Override
  public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
    requireOpen();
    try (Fp8Matrix dy = columns(queue, dyTN);
        Fp8Matrix x = columns(queue, xTK)) {
      kernels.multiplyNT(queue, dy.scaled(), x.scaled(), dwNK, true);
    }
  }

  private Fp8Matrix rows(Queue queue, Tensor x) {
    Fp8Matrix matrix =
        Fp8Matrix.allocate(device, MemoryCategory.WORKSPACE, ScaleBlock.ROW, x.shape().rows(), x.shape().dim(-1));
    kernels.quantize(queue, x, rule, matrix.scaled());
    return matrix;
  }

  private Fp8Matrix columns(Queue queue, Tensor x) {
    Fp8Matrix matrix =
        Fp8Matrix.allocate(device, MemoryCategory.WORKSPACE, ScaleBlock.ROW, x.shape().dim(-1), x.shape().rows());
    kernels.quantizeTransposed(queue, x, rule, matrix.scaled());
    return matrix;
  }

  @Override
  public void close() {
    closed = true;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the products of " + linear.name() + " were used after they were closed");
    }
  }

  private Weight weight(PreparedWeight prepared) {
    requireOpen();
    if (prepared instanceof Weight own) {
      return own;
    }
    throw new IllegalArgumentException("the prepared weight of " + linear.name() + " comes from another precision strategy");
  }
}
