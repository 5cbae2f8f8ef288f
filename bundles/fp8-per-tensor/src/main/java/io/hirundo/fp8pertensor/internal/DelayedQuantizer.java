package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.lib.precision.OperandQuantizer;
import io.hirundo.precision.Operand;
import io.hirundo.precision.StepMemory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Delayed scaling: scales derive from the amax of earlier steps. Activations and output gradients count if gradients were computed from
 * them, the weight in every step. All GEMMs of a step use the same scales. The first step uses {@link CurrentQuantizer}. Evaluations record
 * nothing, and recomputation changes nothing.
 */
final class DelayedQuantizer implements OperandQuantizer {
    private final MatrixScaledKernels kernels;
    private final Codes codes;
    private final OperandQuantizer current;
    private final AmaxHistory history;

    /**
     * Closes its arguments on close.
     *
     * @param current for the first step
     * @param history creates an empty one
     */
    DelayedQuantizer(
            MatrixScaledKernels kernels, Codes codes, OperandQuantizer current, Supplier<AmaxHistory> history) {
        this.kernels = kernels;
        this.codes = codes;
        this.current = current;
        try {
            this.history = history.get();
        } catch (RuntimeException failure) {
            current.close();
            throw failure;
        }
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
        history.see(queue, wNK);
        if (history.isEmpty()) {
            current.weightIsNew(queue, wNK);
        }
    }

    @Override
    public void gradientIsFound(Queue queue, Tensor dyTN, Tensor xTK) {
        history.see(queue, dyTN, xTK);
    }

    @Override
    public void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK) {
        if (history.isEmpty()) {
            current.quantize(queue, operand, xMK, rowsMK);
        } else {
            kernels.quantize(queue, xMK, history.amax(operand), codes.rule(), rowsMK);
        }
    }

    @Override
    public void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM) {
        if (history.isEmpty()) {
            current.quantizeTransposed(queue, operand, xMK, columnsKM);
        } else {
            kernels.quantizeTransposed(queue, xMK, history.amax(operand), codes.rule(), columnsKM);
        }
    }

    @Override
    public void quantizeBoth(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        if (history.isEmpty()) {
            current.quantizeBoth(queue, operand, xMK, rowsMK, columnsKM);
        } else {
            OperandQuantizer.super.quantizeBoth(queue, operand, xMK, rowsMK, columnsKM);
        }
    }

    @Override
    public Optional<StepMemory> memory() {
        return Optional.of(history);
    }

    @Override
    public void close() {
        try {
            history.close();
        } finally {
            current.close();
        }
    }
}
