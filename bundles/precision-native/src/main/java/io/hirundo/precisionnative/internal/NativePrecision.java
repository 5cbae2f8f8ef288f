package io.hirundo.precisionnative.internal;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.lib.precision.StoredOperandGemms;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;

/**
 * GEMMs without quantization. If parameters are wider than activations, all layers read copies of the weights in the activation
 * dtype.
 *
 * @param parameterType dtype of the weights that the optimizer updates
 * @param activationType dtype of activations and of both GEMM operands
 */
record NativePrecision(DType parameterType, DType activationType) implements PrecisionStrategy {
    @Override
    public DType weightType() {
        return activationType();
    }

    @Override
    public Support supports(DeviceInfo device, LinearShape shape) {
        return shape.outputs() >= 1 && shape.inputs() >= 1
                ? Support.YES
                : Support.no(shape.name() + " has no elements: " + shape.outputs() + " outputs, " + shape.inputs()
                        + " inputs");
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape) {
        return new StoredOperandGemms(device, shape, parameterType, activationType);
    }
}
