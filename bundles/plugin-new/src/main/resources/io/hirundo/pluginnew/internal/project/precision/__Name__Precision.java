package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;

/**
 * Linear layers in binary32. One object serves all ranks of a process, so it holds no state; a layer's own is in what {@link
 * #bind} returns.
 */
record __Name__Precision(__Name__Options options) implements PrecisionStrategy {
  @Override
  public DType parameterType() {
    return DType.FP32;
  }

  @Override
  public DType activationType() {
    return DType.FP32;
  }

  /** Says no, with the reason, to what cannot be served: sizes that are no multiple of a block, for instance. */
  @Override
  public Support supports(DeviceInfo device, LinearShape shape) {
    return shape.outputs() >= 1 && shape.inputs() >= 1 ? Support.YES : Support.no(shape.name() + " has no elements");
  }

  @Override
  public LinearMath bind(Device device, LinearShape shape) {
    return new __Name__LinearMath(device, shape, options.roundWeights());
  }
}
