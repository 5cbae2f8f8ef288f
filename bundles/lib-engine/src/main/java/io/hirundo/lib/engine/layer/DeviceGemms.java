package io.hirundo.lib.engine.layer;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.lib.precision.StoredOperandGemms;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;

/**
 * The device's GEMMs in the parameter type, without quantization. They are the baseline of the parity check when the bundle of the previous
 * precision strategy is already stopped.
 *
 * @param parameterType dtype of parameters and activations
 */
public record DeviceGemms(DType parameterType) implements PrecisionStrategy {
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
        return new StoredOperandGemms(device, shape, parameterType, parameterType);
    }
}
