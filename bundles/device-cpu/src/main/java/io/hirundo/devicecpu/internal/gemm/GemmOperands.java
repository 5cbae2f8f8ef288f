package io.hirundo.devicecpu.internal.gemm;

import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * The operands of one GEMM {@code c = (accumulate ? c : 0) + op(a) op(b)}, checked.
 *
 * @param extents M, N and K
 * @param aTransposed whether a is stored [K, M] instead of [M, K]
 * @param bTransposed whether b is stored [N, K] instead of [K, N]
 */
public record GemmOperands(
        CpuTensor a, CpuTensor b, CpuTensor c, Extents extents, boolean aTransposed, boolean bTransposed) {
    /** M rows and N columns of the result, K products summed for each element. */
    public record Extents(int m, int n, int k) {}

    static GemmOperands nt(Tensor aMK, Tensor bNK, Tensor cMN) {
        return check(aMK, "aMK", false, bNK, "bNK", true, cMN);
    }

    static GemmOperands nn(Tensor aMK, Tensor bKN, Tensor cMN) {
        return check(aMK, "aMK", false, bKN, "bKN", false, cMN);
    }

    static GemmOperands tn(Tensor aKM, Tensor bKN, Tensor cMN) {
        return check(aKM, "aKM", true, bKN, "bKN", false, cMN);
    }

    private static GemmOperands check(
            Tensor a, String aName, boolean aTransposed, Tensor b, String bName, boolean bTransposed, Tensor c) {
        CpuTensor checkedC = CpuTensor.CHECK.floating("cMN", c);
        DType[] allowed = checkedC.dtype() == FP64 ? new DType[] {FP64} : new DType[] {FP32, BF16};
        CpuTensor checkedA = CpuTensor.CHECK.of(aName, a, allowed);
        CpuTensor.CHECK.of(bName, b, allowed);
        long aRows = a.shape().rows();
        long aColumns = a.shape().columns();
        long m = aTransposed ? aColumns : aRows;
        long k = aTransposed ? aRows : aColumns;
        long n = c.shape().columns();
        CpuTensor.CHECK.matrix("cMN", c, m, n);
        CpuTensor checkedB = CpuTensor.CHECK.matrix(bName, b, bTransposed ? n : k, bTransposed ? k : n);
        return new GemmOperands(
                checkedA,
                checkedB,
                checkedC,
                new Extents(extent("M", m), extent("N", n), extent("K", k)),
                aTransposed,
                bTransposed);
    }

    /** Index of a's element for row {@code m} of the result. */
    public long aIndex(long m, long k) {
        return aTransposed ? k * extents.m() + m : m * extents.k() + k;
    }

    /** Index of b's element for column {@code n} of the result. */
    public long bIndex(long k, long n) {
        return bTransposed ? n * extents.k() + k : k * extents.n() + n;
    }

    private static int extent(String name, long extent) {
        if (extent > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException(name + " of a GEMM: " + extent + " is wrong (allowed: at most 2^30)");
        }
        return (int) extent;
    }

    /** Whether the result is BF16, to be rounded once. */
    boolean isNarrow() {
        return c.dtype() == BF16;
    }

    boolean isFp64() {
        return c.dtype() == FP64;
    }
}
