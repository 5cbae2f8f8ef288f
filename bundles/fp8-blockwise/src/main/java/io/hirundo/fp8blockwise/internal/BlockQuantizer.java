package io.hirundo.fp8blockwise.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.lib.precision.OperandQuantizer;
import io.hirundo.lib.precision.WeightPieces;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * Quantizes weights in 128 x 128 blocks, activations and gradients in rows of 128.
 *
 * @param pieces the device's quantization kernels
 * @param gradientCodes 8-bit type of output gradients
 */
record BlockQuantizer(
        BlockScaledKernels kernels, Optional<PieceScaledKernels> pieces, ScaleRule rule, DType gradientCodes)
        implements OperandQuantizer {
    @Override
    public ScaleBlock block(Operand operand) {
        return operand == Operand.WEIGHT ? ScaleBlock.SQUARE : ScaleBlock.ROW;
    }

    @Override
    public DType codes(Operand operand) {
        return operand == Operand.OUTPUT_GRADIENT ? gradientCodes : DType.FP8_E4M3;
    }

    @Override
    public void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK) {
        kernels.quantize(queue, xMK, rule, rowsMK);
    }

    @Override
    public void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM) {
        kernels.quantizeTransposed(queue, xMK, rule, columnsKM);
    }

    @Override
    public void quantizeBoth(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        kernels.quantizeBoth(queue, xMK, rule, rowsMK, columnsKM);
    }

    @Override
    public Optional<WeightPieces> weightPieces() {
        return pieces.map(each -> new WeightPieces(each, rule));
    }

    /** BF16 represents every power-of-two scale down to 2^-127. */
    @Override
    public Optional<DType> transferredScales() {
        return Optional.of(rule == ScaleRule.POWER_OF_TWO ? DType.BF16 : DType.FP32);
    }
}
