package io.hirundo.trainer.internal.layer;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * The device's own products in the type of the parameters: what a precision strategy is judged by when the one before it has
 * gone with its bundle, and cannot be asked any more.
 *
 * @param parameterType of parameters and activations
 */
public record DeviceProducts(DType parameterType) implements PrecisionStrategy {
  @Override
  public DType activationType() {
    return parameterType;
  }

  @Override
  public Support supports(DeviceInfo device, LinearShape shape) {
    return Support.YES;
  }

  @Override
  public LinearMath bind(Device device, LinearShape shape) {
    return new Plain(device.kernels().gemm());
  }

  private record Weight(Tensor wNK) implements PreparedWeight {
    @Override
    public void close() {}
  }

  private record Plain(GemmKernels gemm) implements LinearMath {
    @Override
    public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
      return new Weight(wNK);
    }

    @Override
    public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
      gemm.multiplyNT(queue, xTK, ((Weight) weight).wNK(), yTN, false);
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
      gemm.multiplyNN(queue, dyTN, ((Weight) weight).wNK(), dxTK, false);
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
      gemm.multiplyTN(queue, dyTN, xTK, dwNK, true);
    }

    @Override
    public void close() {}
  }
}
