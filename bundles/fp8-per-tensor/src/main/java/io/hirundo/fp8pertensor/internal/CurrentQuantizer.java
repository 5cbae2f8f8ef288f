package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.lib.precision.OperandQuantizer;
import io.hirundo.precision.Operand;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Current scaling: the scale derives from the operand's own amax; for a weight, from the amax over the shards of all ranks. */
final class CurrentQuantizer implements OperandQuantizer {
    private final MatrixScaledKernels kernels;
    private final Codes codes;
    private final WeightSharers sharers;
    private final Tensor all;
    private final Tensor amax;
    /** Amax of the current weight. */
    private final Tensor weightAmax;

    CurrentQuantizer(Device device, MatrixScaledKernels kernels, Codes codes, WeightSharers sharers) {
        this.kernels = kernels;
        this.codes = codes;
        this.sharers = sharers;
        this.all = device.allocate(MemoryCategory.WORKSPACE, Shape.of(2), DType.FP32);
        this.amax = all.rows(0, 1);
        this.weightAmax = all.rows(1, 1);
    }

    @Override
    public ScaleBlock block(Operand operand) {
        return ScaleBlock.MATRIX;
    }

    @Override
    public DType codes(Operand operand) {
        return codes.of(operand);
    }

    @Override
    public void weightIsNew(Queue queue, Tensor wNK) {
        kernels.maximum(queue, wNK, weightAmax, false);
        sharers.agree(queue, weightAmax);
    }

    @Override
    public void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK) {
        kernels.quantize(queue, xMK, amax(queue, operand, xMK), codes.rule(), rowsMK);
    }

    @Override
    public void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM) {
        kernels.quantizeTransposed(queue, xMK, amax(queue, operand, xMK), codes.rule(), columnsKM);
    }

    @Override
    public void quantizeBoth(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        Tensor magnitude = amax(queue, operand, xMK);
        kernels.quantize(queue, xMK, magnitude, codes.rule(), rowsMK);
        kernels.quantizeTransposed(queue, xMK, magnitude, codes.rule(), columnsKM);
    }

    private Tensor amax(Queue queue, Operand operand, Tensor xMK) {
        if (operand == Operand.WEIGHT) {
            return weightAmax;
        }
        kernels.maximum(queue, xMK, amax, false);
        return amax;
    }

    @Override
    public void close() {
        all.close();
    }
}
