package org.example.acmefp8;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.lib.precision.QuantizedProducts;
import io.hirundo.lib.precision.StoredProducts;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import java.util.Set;

/** E4M3 with scales of blocks where sizes are multiples of 16, else BF16. */
record AcmeFp8Precision() implements PrecisionStrategy {
    @Override
    public DType parameterType() {
        return DType.FP32;
    }

    @Override
    public DType activationType() {
        return DType.BF16;
    }

    @Override
    public DType weightType() {
        return DType.BF16;
    }

    /** BF16 in the layers that are not quantized. */
    @Override
    public Set<DType> operandTypes() {
        return Set.of(DType.BF16, DType.FP8_E4M3);
    }

    @Override
    public Support supports(DeviceInfo device, LinearShape shape) {
        return shape.outputs() >= 1 && shape.inputs() >= 1
                ? Support.YES
                : Support.no(shape.name() + " has no elements");
    }

    @Override
    public Set<Class<?>> kernels() {
        return Set.of(BlockScaledKernels.class);
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape) {
        BlockScaledKernels kernels = device.kernels()
                .blockScaled()
                .orElseThrow(() -> new ConfigurationException(
                        "precision: device " + device.info().backend() + " has no FP8 GEMM; set precision=bf16"));
        return shape.outputs() % 16 == 0 && shape.inputs() % 16 == 0
                ? new QuantizedProducts(device, kernels, shape, new AcmeFp8Quantizer(kernels))
                : new StoredProducts(device, shape, parameterType(), activationType());
    }

    @Override
    public ParityBound parity() {
        return new ParityBound(0.08, 0.08, 0.08);
    }
}
