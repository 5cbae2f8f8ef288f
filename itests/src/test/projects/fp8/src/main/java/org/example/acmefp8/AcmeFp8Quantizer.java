package org.example.acmefp8;

import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.lib.precision.OperandQuantizer;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Weights in squares, activations and gradients in rows. */
record AcmeFp8Quantizer(BlockScaledKernels kernels) implements OperandQuantizer {
    @Override
    public ScaleBlock block(Operand operand) {
        return operand == Operand.WEIGHT ? ScaleBlock.SQUARE : ScaleBlock.ROW;
    }

    @Override
    public DType codes(Operand operand) {
        return DType.FP8_E4M3;
    }

    @Override
    public void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK) {
        kernels.quantize(queue, xMK, ScaleRule.POWER_OF_TWO, rowsMK);
    }

    @Override
    public void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM) {
        kernels.quantizeTransposed(queue, xMK, ScaleRule.POWER_OF_TWO, columnsKM);
    }
}
