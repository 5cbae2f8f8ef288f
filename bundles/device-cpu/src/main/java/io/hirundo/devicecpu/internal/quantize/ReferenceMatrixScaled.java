package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.quantize.ScaledOperands.Scaled;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** 8-bit matrices with one scale, element after element. */
public final class ReferenceMatrixScaled implements MatrixScaledKernels {
    private final WorkerPool pool;

    public ReferenceMatrixScaled(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void maximum(Queue queue, Tensor x, Tensor amax1, boolean accumulate) {
        CpuTensor values = CpuTensor.CHECK.of("x", x, DType.FP32, DType.BF16);
        CpuTensor amax = CpuTensor.CHECK.vector("amax1", amax1, 1, DType.FP32);
        double largest = accumulate ? amax.getDouble(0) : 0;
        for (long i = 0; i < values.elements(); i++) {
            double magnitude = Math.abs(values.getDouble(i));
            largest = magnitude > largest && magnitude < Double.POSITIVE_INFINITY ? magnitude : largest;
        }
        amax.setDouble(0, largest);
    }

    @Override
    public void quantize(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix rowsMK) {
        quantize(ScaledOperands.of(xMK, rule, false, rowsMK), amax1);
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix columnsKM) {
        quantize(ScaledOperands.of(xMK, rule, true, columnsKM), amax1);
    }

    private void quantize(ScaledOperands operands, Tensor amax1) {
        Scaled result = operands.result();
        float scale = operands.scaleOfMatrix(amax1);
        result.inverseScales().setDouble(0, 1 / scale);
        pool.run(Math.toIntExact(result.rows()), (row, scratch) -> {
            for (long column = 0; column < result.columns(); column++) {
                result.codes().setDouble(row * result.columns() + column, operands.value(row, column) * scale);
            }
        });
    }
}
