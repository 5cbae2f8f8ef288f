package io.hirundo.precisionnative.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** The three products straight on the device's kernels; a prepared weight is the weight itself. Holds no memory. */
final class NativeLinearMath implements LinearMath {
  private final GemmKernels gemm;
  private final LinearShape linear;
  private final DType type;
  private boolean closed;

  NativeLinearMath(GemmKernels gemm, LinearShape linear, DType type) {
    this.gemm = gemm;
    this.linear = linear;
    this.type = type;
  }

  @Override
  public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
    requireOpen();
    Shape expected = Shape.of(linear.outputs(), linear.inputs());
    if (!wNK.shape().equals(expected) || wNK.dtype() != type) {
      throw new IllegalArgumentException(
          "weight of " + linear.name() + " must be " + type + " " + expected + ", not " + wNK.dtype() + " " + wNK.shape());
    }
    return new Referred(wNK);
  }

  @Override
  public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
    gemm.multiplyNT(queue, xTK, weight(weight), yTN, false);
  }

  @Override
  public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
    gemm.multiplyNN(queue, dyTN, weight(weight), dxTK, false);
  }

  @Override
  public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
    requireOpen();
    gemm.multiplyTN(queue, dyTN, xTK, dwNK, true);
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

  private Tensor weight(PreparedWeight prepared) {
    requireOpen();
    if (prepared instanceof Referred referred) {
      return referred.wNK;
    }
    throw new IllegalArgumentException("the prepared weight of " + linear.name() + " comes from another precision strategy");
  }

  /** Refers to the weight, which stays its owner's. */
  private record Referred(Tensor wNK) implements PreparedWeight {
    @Override
    public void close() {}
  }
}
