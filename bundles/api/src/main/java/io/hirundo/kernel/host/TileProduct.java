package io.hirundo.kernel.host;

import io.hirundo.tensor.DType;

/**
 * {@code c[M,N] = (accumulate ? c : 0) + op(a)[M,K] op(b)[K,N]}, summed in FP32. Where c is BF16, the sum with the old value is rounded
 * once.
 *
 * @param m rows of the result, at least 2
 * @param n columns of the result, at least 2
 * @param k products summed for each element, at least 1
 * @param a stored [M, K], or [K, M] if transposed
 * @param b stored [K, N], or [N, K] if transposed
 * @param c stored [M, N], not transposed; FP32 or BF16
 * @param accumulate whether to add to what the result holds
 */
public record TileProduct(int m, int n, int k, Operand a, Operand b, Operand c, boolean accumulate) {
    /**
     * Part of a row-major matrix.
     *
     * @param dtype FP32 or BF16; a and b have the same
     * @param rowStride elements from a stored row to the next, at least the columns of the part
     * @param transposed whether it is stored transposed
     */
    public record Operand(DType dtype, long rowStride, boolean transposed) {}
}
