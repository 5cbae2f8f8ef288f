package io.hirundo.precisionnative.internal;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;

/**
 * Everything in one data type: parameters, gradients, activations and the operands of the three products.
 *
 * @param type FP32 or FP64
 */
record NativePrecision(DType type) implements PrecisionStrategy {
  @Override
  public DType parameterType() {
    return type;
  }

  @Override
  public DType activationType() {
    return type;
  }

  @Override
  public Support supports(DeviceInfo device, LinearShape shape) {
    return shape.outputs() >= 1 && shape.inputs() >= 1
        ? Support.YES
        : Support.no(shape.name() + " has no elements: " + shape.outputs() + " outputs, " + shape.inputs() + " inputs");
  }

  @Override
  public LinearMath bind(Device device, LinearShape shape) {
    return new NativeLinearMath(device.kernels().gemm(), shape, type);
  }
}
