package io.hirundo.fp8blockwise.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Memory for a quantized matrix. */
record Fp8Matrix(ScaledMatrix scaled) implements AutoCloseable {
  /** E4M3 also for gradients: with scales of their own, blocks need precision more than range. */
  static Fp8Matrix allocate(Device device, MemoryCategory category, ScaleBlock block, long rows, long columns) {
    Tensor codes = device.allocate(category, Shape.of(rows, columns), DType.FP8_E4M3);
    try {
      Tensor scales = device.allocate(category, block.scales(rows, columns), DType.FP32);
      return new Fp8Matrix(new ScaledMatrix(codes, scales, block));
    } catch (RuntimeException failure) {
      codes.close();
      throw failure;
    }
  }

  @Override
  public void close() {
    try {
      scaled.codesMK().close();
    } finally {
      scaled.inverseScales().close();
    }
  }
}
