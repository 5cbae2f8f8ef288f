package io.hirundo.testkit.device;

import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Normals;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** GEMMs of FP8 matrices at odd sizes, with all formats and blocks of scales; the operands are the same each time. */
public final class ScaledGemmComparison {
    /** M, N and K: single rows and columns, and around the sizes of blocks and tiles. */
    private static final int[][] SIZES = {
        {1, 1, 1}, {7, 70, 130}, {200, 65, 128}, {193, 258, 130}, {5, 520, 31}, {257, 1, 63}, {1, 257, 17}
    };

    private ScaledGemmComparison() {}

    /** Results of normally distributed operands, FP32 and BF16, accumulated or not. */
    public static List<double[]> run(Bench bench, ScaleRule rule) {
        List<double[]> results = new ArrayList<>();
        int variant = 0;
        for (int[] size : SIZES) {
            for (ScaleBlock block : ScaleBlock.values()) {
                DType other = variant % 3 == 0 ? DType.FP8_E5M2 : DType.FP8_E4M3;
                ScaleBlock ofRows = variant % 5 == 0 ? ScaleBlock.MATRIX : ScaleBlock.ROW;
                ScaledMatrix a = quantized(bench, random(bench, variant, size[0], size[2]), rule, other, ofRows);
                ScaledMatrix b =
                        quantized(bench, random(bench, variant + 50, size[1], size[2]), rule, DType.FP8_E4M3, block);
                Tensor c = bench.tensor(
                        variant % 2 == 0 ? DType.FP32 : DType.BF16, Normals.of(variant + 100), size[0], size[1]);
                multiply(bench, a, b, c, variant % 4 > 1);
                results.add(bench.read(c));
                variant++;
            }
        }
        return results;
    }

    private static Tensor random(Bench bench, int seed, long rows, long columns) {
        return bench.tensor(DType.FP32, Normals.of(seed), rows, columns);
    }

    /** Computes {@code c = (accumulate ? c : 0) + a b^T}. */
    public static void multiply(Bench bench, ScaledMatrix a, ScaledMatrix b, Tensor c, boolean accumulate) {
        bench.device().kernels().blockScaled().orElseThrow().multiplyNT(bench.queue(), a, b, c, accumulate);
    }

    /** A quantized copy of an FP32 or BF16 matrix [M, K]. */
    public static ScaledMatrix quantized(Bench bench, Tensor xMK, ScaleRule rule, DType dtype, ScaleBlock block) {
        long columns = xMK.shape().dim(-1);
        ScaledMatrix matrix = matrix(bench, dtype, block, xMK.elements() / columns, columns);
        Kernels kernels = bench.device().kernels();
        if (block == ScaleBlock.MATRIX) {
            Tensor amax = bench.tensor(DType.FP32, 1);
            kernels.matrixScaled().orElseThrow().maximum(bench.queue(), xMK, amax, false);
            kernels.matrixScaled().orElseThrow().quantize(bench.queue(), xMK, amax, rule, matrix);
        } else {
            kernels.blockScaled().orElseThrow().quantize(bench.queue(), xMK, rule, matrix);
        }
        return matrix;
    }

    private static ScaledMatrix matrix(Bench bench, DType dtype, ScaleBlock block, long rows, long columns) {
        long[] scales = block.scales(rows, columns).dims().stream()
                .mapToLong(Long::longValue)
                .toArray();
        return new ScaledMatrix(bench.tensor(dtype, rows, columns), bench.tensor(DType.FP32, _ -> -1, scales), block);
    }

    /**
     * Checks a GEMM of small integers with scales that are powers of two: its sums are exact in any order.
     *
     * @param block of b's scales
     */
    public static void requireExactIntegers(Bench bench, ScaleBlock block) {
        int m = 70;
        int n = 150;
        int k = 300;
        ScaledMatrix a = integers(bench, ScaleBlock.ROW, 1, m, k);
        ScaledMatrix b = integers(bench, block, 2, n, k);
        Tensor c = bench.tensor(DType.FP32, i -> i % 7, m, n);
        multiply(bench, a, b, c, true);
        double[] found = bench.read(c);
        double[] left = values(bench, a, m, k);
        double[] right = values(bench, b, n, k);
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                double sum = (row * n + column) % 7;
                for (int i = 0; i < k; i++) {
                    sum += left[row * k + i] * right[column * k + i];
                }
                if (sum != found[row * n + column]) {
                    throw new AssertionError(
                            row + ", " + column + ": expected " + sum + ", is " + found[row * n + column]);
                }
            }
        }
    }

    private static ScaledMatrix integers(Bench bench, ScaleBlock block, long seed, int rows, int columns) {
        var random = new Random(seed);
        ScaledMatrix matrix = matrix(bench, DType.FP8_E4M3, block, rows, columns);
        bench.write(matrix.codesMK(), _ -> random.nextInt(-4, 5));
        bench.write(matrix.inverseScales(), _ -> 1 << random.nextInt(3));
        return matrix;
    }

    private static double[] values(Bench bench, ScaledMatrix matrix, int rows, int columns) {
        double[] values = bench.read(matrix.codesMK());
        double[] scales = bench.read(matrix.inverseScales());
        for (int i = 0; i < values.length; i++) {
            values[i] *= scales[(int) matrix.block().scaleIndex(rows, columns, i / columns, i % columns)];
        }
        return values;
    }
}
