package io.hirundo.precision.support;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * The three products straight on the device's kernels. A prepared weight is the weight itself, or where weights are kept wider
 * than activations a rounded copy of it, which is memory for weights. The weight gradient is summed in the weight's type.
 */
public final class StoredProducts implements LinearMath {
  private final Device device;
  private final GemmKernels gemm;
  private final LinearShape linear;
  private final DType parameterType;
  private final DType activationType;
  private boolean closed;

  /**
   * Takes no memory.
   *
   * @param parameterType of the weight and its gradient
   * @param activationType of what goes in and comes out, and of the weight that is read
   */
  public StoredProducts(Device device, LinearShape linear, DType parameterType, DType activationType) {
    this.device = device;
    this.gemm = device.kernels().gemm();
    this.linear = linear;
    this.parameterType = parameterType;
    this.activationType = activationType;
  }

  @Override
  public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
    requireOpen();
    Shape expected = Shape.of(linear.outputs(), linear.inputs());
    if (!wNK.shape().equals(expected) || wNK.dtype() != parameterType) {
      throw new IllegalArgumentException(
          "weight of " + linear.name() + " must be " + parameterType + " " + expected + ", not " + wNK.dtype() + " "
              + wNK.shape());
    }
    if (parameterType == activationType) {
      return new Prepared(wNK, false);
    }
    PreparedWeight copy =
        reuse != null ? reuse : new Prepared(device.allocate(MemoryCategory.WEIGHTS, expected, activationType), true);
    device.kernels().elementwise().copy(queue, wNK, weight(copy));
    return copy;
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
  public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
    return Optional.of(MultipliedOperand.stored(weight(weight), product.contractsLast(Operand.WEIGHT)));
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
    if (prepared instanceof Prepared own) {
      return own.wNK;
    }
    throw new IllegalArgumentException("the prepared weight of " + linear.name() + " comes from another precision strategy");
  }

  /** A weight, which stays its owner's, or a copy of one, which is closed with this. */
  private record Prepared(Tensor wNK, boolean copied) implements PreparedWeight {
    @Override
    public void close() {
      if (copied) {
        wNK.close();
      }
    }
  }
}
