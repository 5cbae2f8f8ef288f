package io.hirundo.devicecuda.internal.cublas;

import io.hirundo.kernel.ScaleBlock;
import io.hirundo.tensor.DType;

/**
 * A product as cuBLASLt sees it, which stores matrices by columns: {@code d[m,n] = op(a) op(b) + beta d}. What is stored by rows is
 * the transpose to it: {@code c = x y} by rows is {@code c^T = y^T x^T} by columns, so its a is our right operand.
 */
public record CublasLtGemm(Matrix a, Matrix b, Matrix d) {
  /** Of {@code cudaDataType_t}. */
  static final int FP32 = 0;

  private static final int BF16 = 14;
  private static final int E4M3 = 28;

  /** Of {@code cublasLtMatmulMatrixScale_t}: FP32 for 128 in a row, and for 128 x 128. */
  private static final int VEC128_32F = 4;

  private static final int BLK128X128_32F = 5;

  /** What the library takes for granted of memory, and the best for it. */
  private static final long MOST_ALIGNMENT_BYTES = 256;

  /**
   * A matrix.
   *
   * @param rows stored one after the other; the columns of ours
   * @param transposed whether it is multiplied transposed
   * @param scales of an 8-bit matrix; null for others
   * @param alignmentBytes of its address, as far as it matters
   */
  public record Matrix(DType dtype, long rows, long columns, boolean transposed, ScaleBlock scales, int alignmentBytes) {
    /** One that is at this address. */
    public static Matrix at(long address, DType dtype, long rows, long columns, boolean transposed, ScaleBlock scales) {
      long alignment = Math.min(MOST_ALIGNMENT_BYTES, Long.lowestOneBit(address | MOST_ALIGNMENT_BYTES));
      return new Matrix(dtype, rows, columns, transposed, scales, (int) alignment);
    }

    int type() {
      return switch (dtype) {
        case FP32 -> FP32;
        case BF16 -> BF16;
        case FP8_E4M3 -> E4M3;
        case FP64, INT32, FP8_E5M2 -> throw new IllegalArgumentException("no products of " + dtype + " are asked of cuBLASLt");
      };
    }

    int scaleMode() {
      return switch (scales) {
        case ROW -> VEC128_32F;
        case SQUARE -> BLK128X128_32F;
        case MATRIX -> throw new IllegalArgumentException("no products of matrices with one scale are asked of cuBLASLt");
      };
    }
  }

  /** As in {@code BF16 [16384, 4096] x BF16 [2048, 4096]^T to FP32}: our left and right operand, as they are stored by rows. */
  @Override
  public String toString() {
    return operand(b) + " x " + operand(a) + " to " + d.dtype;
  }

  private static String operand(Matrix matrix) {
    return matrix.dtype + " [" + matrix.columns + ", " + matrix.rows + "]" + (matrix.transposed ? "^T" : "");
  }
}
