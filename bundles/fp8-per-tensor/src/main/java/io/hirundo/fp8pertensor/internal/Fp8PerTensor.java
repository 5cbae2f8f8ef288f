package io.hirundo.fp8pertensor.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.lib.precision.OperandQuantizer;
import io.hirundo.lib.precision.QuantizedGemms;
import io.hirundo.lib.precision.QuantizedLayers;
import io.hirundo.lib.precision.StoredOperandGemms;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import java.util.EnumSet;
import java.util.Set;

/**
 * FP8 GEMMs for the chosen layers that support them, {@code bf16} for all others.
 *
 * @param layers computed in FP8
 */
record Fp8PerTensor(Codes codes, QuantizedLayers layers, Quantizers quantizers) implements PrecisionStrategy {
    /** Creates the quantizer of a layer. */
    @FunctionalInterface
    interface Quantizers {
        OperandQuantizer of(Device device, MatrixScaledKernels kernels, WeightSharers sharers);
    }

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
        return activationType();
    }

    /** BF16 in the layers that are not quantized. */
    @Override
    public Set<DType> operandTypes() {
        return EnumSet.of(DType.BF16, codes.of(Operand.INPUT), codes.of(Operand.OUTPUT_GRADIENT));
    }

    @Override
    public Support supports(DeviceInfo device, LinearShape shape) {
        return shape.outputs() >= 1 && shape.inputs() >= 1
                ? Support.YES
                : Support.no(shape.name() + " has no elements: " + shape.outputs() + " outputs, " + shape.inputs()
                        + " inputs");
    }

    @Override
    public PrecisionStrategy forModel(ModelSpec model) {
        return new Fp8PerTensor(codes, layers.of(model), quantizers);
    }

    @Override
    public Set<Class<?>> kernels() {
        return Set.of(BlockScaledKernels.class, MatrixScaledKernels.class);
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape) {
        return bind(device, shape, WeightSharers.NONE);
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
        var blockScaled = device.kernels().blockScaled();
        var matrices = device.kernels().matrixScaled();
        if (blockScaled.isEmpty() || matrices.isEmpty()) {
            throw new ConfigurationException("precision: device "
                    + device.info().name() + " has no FP8 GEMM with per-tensor scaling; set precision=bf16");
        }
        if (!layers.contains(shape)) {
            return new StoredOperandGemms(device, shape, parameterType(), activationType());
        }
        return new QuantizedGemms(device, blockScaled.get(), shape, quantizers.of(device, matrices.get(), sharers));
    }

    /** Above the error measured with correct scales: docs/precision.md. */
    @Override
    public ParityBound parity() {
        double ofGradients = codes.gradients() == DType.FP8_E5M2 ? 0.1 : 0.08;
        return new ParityBound(0.08, ofGradients, ofGradients);
    }

    @Override
    public String describe(LinearShape shape) {
        return layers.describe(shape);
    }
}
