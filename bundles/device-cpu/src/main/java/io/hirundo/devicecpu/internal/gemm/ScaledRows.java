package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.gemm.loops.Fp8Vectors;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;

/**
 * A quantized FP8 operand of a GEMM, by address.
 *
 * @param address of its quantized values
 * @param scales address of its inverse scales
 */
public record ScaledRows(long address, Fp8 format, long scales, ScaleBlock block, int rows, int columns) {
    private static final int EXTENT = ScaleBlock.EXTENT;

    /** The operand, which has been checked. */
    public static ScaledRows of(ScaledMatrix matrix) {
        CpuTensor codes = CpuTensor.CHECK.of("codesMK", matrix.codesMK());
        CpuTensor scales = CpuTensor.CHECK.of("inverseScales", matrix.inverseScales());
        return new ScaledRows(
                codes.address(),
                Fp8.of(codes.dtype()),
                scales.address(),
                matrix.block(),
                Math.toIntExact(codes.shape().rows()),
                Math.toIntExact(codes.shape().columns()));
    }

    /** Unscaled values of rows from a column on, as FP32 rows of {@link ScaleBlock#EXTENT}. */
    public void decode(int row, int count, int column, int depth, long to) {
        for (int r = 0; r < count; r++) {
            Fp8Vectors.decode(code(row + r, column), depth, format, to + 4L * r * EXTENT);
        }
    }

    /** As {@link #decode}, in BF16, which has all values of FP8. */
    public void decodeToBf16(int row, int count, int column, int depth, long to) {
        for (int r = 0; r < count; r++) {
            Fp8Vectors.decodeToBf16(code(row + r, column), depth, format, to + 2L * r * EXTENT);
        }
    }

    private long code(int row, int column) {
        return address + (long) row * columns + column;
    }

    /** The address of an element's inverse scale. */
    public long scaleAddress(int row, int column) {
        return scales + 4 * block.scaleIndex(rows, columns, row, column);
    }

    /** From a row's inverse scale to the next row's, in bytes; 0 where all rows have the same. Not for {@link ScaleBlock#SQUARE}. */
    public long scaleStride() {
        return block == ScaleBlock.ROW ? 4 : 0;
    }
}
