package io.hirundo.devicecuda.internal.cublas;

import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.tensor.DType;

/**
 * A GEMM in cuBLASLt's column-major convention: {@code d[m,n] = op(a) op(b) + beta d}. A row-major matrix is its transpose in column-major
 * order. So row-major {@code c = x y} is column-major {@code c^T = y^T x^T}, and cuBLASLt's a is our right operand.
 */
public record CublasLtGemm(Matrix a, Matrix b, Matrix d) {
    /** Values of {@code cudaDataType_t}. */
    static final int FP32 = 0;

    private static final int BF16 = 14;
    private static final int E4M3 = 28;

    /** Values of {@code cublasLtMatmulMatrixScale_t}: an FP32 scale per 128 elements of a row, and per 128 x 128 block. */
    private static final int VEC128_32F = 4;

    private static final int BLK128X128_32F = 5;

    /** The alignment that the library assumes for allocated memory, and the best one. */
    private static final long MAX_ALIGNMENT_BYTES = 256;

    /**
     * A matrix.
     *
     * @param rows contiguous dimension; our columns
     * @param transposed whether it is transposed in the GEMM
     * @param scales scale block layout of an FP8 matrix; null for others
     * @param alignmentBytes alignment of its address, up to the maximum that matters
     */
    public record Matrix(
            DType dtype, long rows, long columns, boolean transposed, ScaleBlock scales, int alignmentBytes) {
        /** A matrix at this address. */
        public static Matrix at(
                long address, DType dtype, long rows, long columns, boolean transposed, ScaleBlock scales) {
            long alignment = Math.min(MAX_ALIGNMENT_BYTES, Long.lowestOneBit(address | MAX_ALIGNMENT_BYTES));
            return new Matrix(dtype, rows, columns, transposed, scales, (int) alignment);
        }

        int type() {
            return switch (dtype) {
                case FP32 -> FP32;
                case BF16 -> BF16;
                case FP8_E4M3 -> E4M3;
                case FP64, INT32, FP8_E5M2 ->
                    throw new IllegalArgumentException("no products of " + dtype + " are asked of cuBLASLt");
            };
        }

        int scaleMode() {
            return switch (scales) {
                case ROW -> VEC128_32F;
                case SQUARE -> BLK128X128_32F;
                case MATRIX ->
                    throw new IllegalArgumentException("cuBLASLt is not used for GEMMs of matrices with one scale");
            };
        }
    }

    /** For example {@code BF16 [16384, 4096] x BF16 [2048, 4096]^T to FP32}: our left and right operand in row-major order. */
    @Override
    public String toString() {
        return operand(b) + " x " + operand(a) + " to " + d.dtype;
    }

    private static String operand(Matrix matrix) {
        return matrix.dtype + " [" + matrix.columns + ", " + matrix.rows + "]" + (matrix.transposed ? "^T" : "");
    }
}
