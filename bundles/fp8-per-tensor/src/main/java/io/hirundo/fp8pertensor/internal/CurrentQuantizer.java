package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.MatrixScaledKernels;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.precision.Operand;
import io.hirundo.precision.support.OperandQuantizer;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Scales from the largest magnitude of the operand itself. */
final class CurrentQuantizer implements OperandQuantizer {
  private final MatrixScaledKernels kernels;
  private final Codes codes;
  private final Tensor amax;

  CurrentQuantizer(Device device, MatrixScaledKernels kernels, Codes codes) {
    this.kernels = kernels;
    this.codes = codes;
    this.amax = device.allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP32);
  }

  @Override
  public ScaleBlock block(Operand operand) {
    return ScaleBlock.MATRIX;
  }

  @Override
  public DType codes(Operand operand) {
    return codes.of(operand);
  }

  @Override
  public void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK) {
    kernels.maximum(queue, xMK, amax, false);
    kernels.quantize(queue, xMK, amax, codes.rule(), rowsMK);
  }

  @Override
  public void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM) {
    kernels.maximum(queue, xMK, amax, false);
    kernels.quantizeTransposed(queue, xMK, amax, codes.rule(), columnsKM);
  }

  @Override
  public void close() {
    amax.close();
  }
}
