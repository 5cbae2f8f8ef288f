package io.hirundo.fp8blockwise.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.lib.precision.QuantizedGemms;
import io.hirundo.lib.precision.QuantizedLayers;
import io.hirundo.lib.precision.QuantizedTransfers;
import io.hirundo.lib.precision.StoredOperandGemms;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MessageCoding;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * FP8 GEMMs for the chosen layers that support them, {@code bf16} for all others.
 *
 * @param layers computed in FP8
 * @param alignment of the scale blocks of sharded tensors
 */
record Fp8Blockwise(Fp8BlockwiseOptions options, QuantizedLayers layers, BlockAlignment alignment)
        implements PrecisionStrategy {
    Fp8Blockwise(Fp8BlockwiseOptions options) {
        this(
                options,
                new QuantizedLayers(new QuantizedLayers.Options(
                        options.firstInBf16(), options.lastInBf16(), options.queryKeyValue(), options.head())),
                BlockAlignment.UNKNOWN);
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
        return EnumSet.of(DType.BF16, DType.FP8_E4M3, gradientCodes());
    }

    @Override
    public Support supports(DeviceInfo device, LinearShape shape) {
        if (shape.outputs() < 1 || shape.inputs() < 1) {
            return Support.no(
                    shape.name() + " has no elements: " + shape.outputs() + " outputs, " + shape.inputs() + " inputs");
        }
        return isAligned() && layers.contains(alignment.whole(shape)) ? alignment.supports(shape) : Support.YES;
    }

    @Override
    public Support supportsPieces(long tokens) {
        return isAligned() ? alignment.supportsPieces(tokens) : Support.YES;
    }

    private boolean isAligned() {
        return options.blocks().equals(Fp8BlockwiseOptions.ALIGNED);
    }

    @Override
    public PrecisionStrategy forModel(ModelSpec model) {
        return new Fp8Blockwise(options, layers.of(model), BlockAlignment.of(model));
    }

    @Override
    public Set<Class<?>> kernels() {
        return Set.of(BlockScaledKernels.class);
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape) {
        var kernels = device.kernels().blockScaled();
        if (kernels.isEmpty()) {
            throw new ConfigurationException(
                    "precision: device " + device.info().backend() + " has no FP8 GEMM; set precision=bf16");
        }
        if (!layers.contains(shape)) {
            return new StoredOperandGemms(device, shape, parameterType(), activationType());
        }
        var quantizer = new BlockQuantizer(kernels.get(), device.kernels().pieceScaled(), rule(), gradientCodes());
        return new QuantizedGemms(device, kernels.get(), shape, quantizer);
    }

    private ScaleRule rule() {
        return options.scales().equals(Fp8BlockwiseOptions.EXACT) ? ScaleRule.EXACT : ScaleRule.POWER_OF_TWO;
    }

    /** E4M3 in both directions: with a scale per block, gradients need precision more than range. */
    @Override
    public Optional<MessageCoding> betweenStages(Device device) {
        return options.pipelineSends().equals(Fp8BlockwiseOptions.FP8)
                ? device.kernels()
                        .blockScaled()
                        .map(kernels -> new QuantizedTransfers(
                                device, kernels, new BlockQuantizer(kernels, Optional.empty(), rule(), DType.FP8_E4M3)))
                : Optional.empty();
    }

    private DType gradientCodes() {
        return hasWideGradients() ? DType.FP8_E5M2 : DType.FP8_E4M3;
    }

    private boolean hasWideGradients() {
        return options.gradients().equals(Fp8BlockwiseOptions.E5M2);
    }

    /** Above the error measured with correct scales, below the error of scales in a wrong order: docs/precision.md. */
    @Override
    public ParityBound parity() {
        double ofGradients = hasWideGradients() ? 0.1 : 0.08;
        return new ParityBound(0.08, ofGradients, ofGradients);
    }

    @Override
    public String describe(LinearShape shape) {
        return layers.describe(shape);
    }
}
