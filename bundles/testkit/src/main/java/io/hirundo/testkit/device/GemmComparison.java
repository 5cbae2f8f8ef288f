package io.hirundo.testkit.device;

import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Guarded;
import io.hirundo.testkit.bench.Matrices;
import io.hirundo.testkit.bench.Normals;

/** Compares the three GEMMs of one size with loops; the operands are the same each time. */
public final class GemmComparison {
    private GemmComparison() {}

    /** The results of all three, after the comparison. */
    public static double[] run(Bench bench, DType dtype, int m, int n, int k, boolean accumulate) {
        GemmKernels gemm = bench.device().kernels().gemm();
        Guarded mk = operand(bench, "a [M,K]", dtype, 1, m, k);
        Guarded km = operand(bench, "a [K,M]", dtype, 1, k, m);
        Guarded nk = operand(bench, "b [N,K]", dtype, 2, n, k);
        Guarded kn = operand(bench, "b [K,N]", dtype, 2, k, n);
        var results = new double[3 * m * n];
        for (int product = 0; product < 3; product++) {
            Guarded c = accumulate
                    ? operand(bench, "c", DType.FP32, 3, m, n)
                    : Guarded.of(bench, "c", DType.FP32, i -> Double.NaN, m, n);
            double[] start = accumulate ? c.values() : null;
            double[] expected = switch (product) {
                case 0 -> {
                    gemm.multiplyNT(bench.queue(), mk.tensor(), nk.tensor(), c.tensor(), accumulate);
                    yield Matrices.product(
                            start, mk.values(), Matrices.rowMajor(k), nk.values(), Matrices.transposed(k), m, k, n);
                }
                case 1 -> {
                    gemm.multiplyNN(bench.queue(), mk.tensor(), kn.tensor(), c.tensor(), accumulate);
                    yield Matrices.product(
                            start, mk.values(), Matrices.rowMajor(k), kn.values(), Matrices.rowMajor(n), m, k, n);
                }
                default -> {
                    gemm.multiplyTN(bench.queue(), km.tensor(), kn.tensor(), c.tensor(), accumulate);
                    yield Matrices.product(
                            start, km.values(), Matrices.transposed(m), kn.values(), Matrices.rowMajor(n), m, k, n);
                }
            };
            if (bench.device().computes()) {
                String what = new String[] {"multiplyNT", "multiplyNN", "multiplyTN"}[product] + " of " + dtype + " M="
                        + m + " N=" + n + " K=" + k + (accumulate ? ", accumulated" : "");
                double[] result = c.result();
                Matrices.requireClose(what, expected, result, n, 1e-5);
                System.arraycopy(result, 0, results, product * m * n, m * n);
                for (Guarded input : new Guarded[] {mk, km, nk, kn}) {
                    input.requireUntouched();
                }
            }
        }
        return results;
    }

    private static Guarded operand(Bench bench, String name, DType dtype, int seed, int rows, int columns) {
        return Guarded.of(bench, name, dtype, Normals.of(seed), rows, columns);
    }
}
