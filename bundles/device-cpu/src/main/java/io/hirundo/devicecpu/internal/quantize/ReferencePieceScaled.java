package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.Tensor;

/** 8-bit matrices from pieces, element after element. */
public final class ReferencePieceScaled implements PieceScaledKernels {
    @Override
    public void measure(Queue queue, MatrixRun x, Tensor amax) {
        PieceOperands operands = PieceOperands.of(x, amax);
        for (long i = 0; i < operands.x().elements(); i++) {
            long index = indexOf(operands, i);
            double magnitude = Math.abs(operands.x().getDouble(i));
            if (magnitude > operands.amax().getDouble(index)) {
                operands.amax().setDouble(index, magnitude);
            }
        }
    }

    @Override
    public void quantize(Queue queue, MatrixRun x, Tensor amax, ScaleRule rule, Tensor codes) {
        PieceOperands operands = PieceOperands.of(x, amax);
        CpuTensor to = operands.codes(codes);
        Fp8 format = Fp8.of(to.dtype());
        for (long i = 0; i < operands.x().elements(); i++) {
            to.setDouble(i, (float) operands.x().getDouble(i) * operands.scale(indexOf(operands, i), format, rule));
        }
    }

    /** Of the magnitude for an element of the run. */
    private static long indexOf(PieceOperands operands, long i) {
        long element = operands.first() + i;
        return operands.index(element / operands.columns(), element % operands.columns());
    }

    @Override
    public void complete(Queue queue, Tensor amax, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        var both = PieceOperands.Both.of(amax, rowsMK, columnsKM);
        for (long row = 0; row < both.rowsMK().rows(); row++) {
            for (long column = 0; column < both.rowsMK().columns(); column++) {
                if (row % ScaleBlock.EXTENT == 0 && column % ScaleBlock.EXTENT == 0) {
                    both.setScales(row, column, rule);
                }
                byte code = Memory.getByte(both.rowsMK().codeAddress(row, column));
                Memory.setByte(both.columnsKM().codeAddress(column, row), code);
            }
        }
    }
}
