package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.devicecpu.internal.quantize.ScaledOperands.Scaled;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * A run of a matrix and the largest magnitudes of the matrix's squares; checked.
 *
 * @param first where the run begins in the matrix
 */
record PieceOperands(CpuTensor x, CpuTensor amax, long first, long rows, long columns) {
    static PieceOperands of(MatrixRun run, Tensor amax) {
        CpuTensor x = CpuTensor.CHECK.of("x", run.values(), DType.FP32);
        if (run.firstElement() < 0 || run.firstElement() + x.elements() > run.rows() * run.columns()) {
            throw new IllegalArgumentException("x has " + x.elements() + " elements from " + run.firstElement()
                    + " on, beyond the matrix [" + run.rows() + ", " + run.columns() + "]");
        }
        return new PieceOperands(
                x, magnitudes(amax, run.rows(), run.columns()), run.firstElement(), run.rows(), run.columns());
    }

    private static CpuTensor magnitudes(Tensor amax, long rows, long columns) {
        return CpuTensor.CHECK.exactly("amax", amax, ScaleBlock.SQUARE.scales(rows, columns), DType.FP32);
    }

    /** Codes of the run. */
    CpuTensor codes(Tensor codes) {
        CpuTensor checked = CpuTensor.CHECK.of("codes", codes, DType.FP8_E4M3, DType.FP8_E5M2);
        return CpuTensor.CHECK.vector("codes", codes, x.elements(), checked.dtype());
    }

    /** Index of a block's magnitude. */
    long index(long row, long column) {
        return ScaleBlock.SQUARE.scaleIndex(rows, columns, row, column);
    }

    float scale(long index, Fp8 format, ScaleRule rule) {
        return ScaledOperands.scale((float) amax.getDouble(index), format, DType.FP32, rule);
    }

    /** A quantized matrix and its transpose; checked. */
    record Both(CpuTensor amax, Scaled rowsMK, Scaled columnsKM) {
        static Both of(Tensor amax, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
            CpuTensor codes = CpuTensor.CHECK.of("rowsMK.codesMK", rowsMK.codesMK());
            long rows = codes.shape().rows();
            long columns = codes.shape().columns();
            requireSquares("rowsMK", rowsMK);
            requireSquares("columnsKM", columnsKM);
            Scaled straight = Scaled.of("rowsMK", rowsMK, rows, columns);
            Scaled turned = Scaled.of("columnsKM", columnsKM, columns, rows);
            if (turned.codes().dtype() != straight.codes().dtype()) {
                throw new IllegalArgumentException(
                        "columnsKM is " + turned.codes().dtype() + ", and rowsMK "
                                + straight.codes().dtype());
            }
            return new Both(magnitudes(amax, rows, columns), straight, turned);
        }

        private static void requireSquares(String operand, ScaledMatrix matrix) {
            if (matrix.block() != ScaleBlock.SQUARE) {
                throw new IllegalArgumentException(
                        operand + " has scales for " + matrix.block() + ", needed are those for " + ScaleBlock.SQUARE);
            }
        }

        /** Sets the inverse scales of the square that begins at a row and a column. */
        void setScales(long row, long column, ScaleRule rule) {
            long index = ScaleBlock.SQUARE.scaleIndex(rowsMK.rows(), rowsMK.columns(), row, column);
            double inverse = 1 / ScaledOperands.scale((float) amax.getDouble(index), rowsMK.format(), DType.FP32, rule);
            rowsMK.inverseScales().setDouble(index, inverse);
            columnsKM
                    .inverseScales()
                    .setDouble(
                            ScaleBlock.SQUARE.scaleIndex(columnsKM.rows(), columnsKM.columns(), column, row), inverse);
        }
    }
}
