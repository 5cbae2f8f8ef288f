package io.hirundo.devicecuda.internal.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * FP8 GEMMs by a stub of cuBLASLt that rejects what Hopper does not support. Values are small integers and each scale is a different power
 * of two. So results are exact in any order of summation, and differ if a scale is at the wrong place.
 */
class CublasLtScaledGemmsTest extends CublasLtStubTest {
    /** Two blocks and a part of one. */
    private static final int M = 136;

    private static final int N = 264;
    private static final int K = 272;

    private static int code(int step, long row, long column) {
        return (int) ((row * 3 + column * step) % 5 - 2);
    }

    private static double scale(int step, long row, long column) {
        return Math.scalb(1.0, (int) ((row * (step + 2) + column / ScaleBlock.EXTENT) % 3) - 1);
    }

    /** {@code begin}: elements before the first value. */
    private static ScaledMatrix matrix(
            Bench bench, DType dtype, ScaleBlock block, int step, int rows, int columns, int begin) {
        Shape scales = block.scales(rows, columns);
        var values = new double[(int) scales.elements()];
        Arrays.fill(values, Double.NaN);
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                long first = block == ScaleBlock.SQUARE ? row / ScaleBlock.EXTENT : row;
                values[(int) block.scaleIndex(rows, columns, row, column)] = scale(step, first, column);
            }
        }
        Tensor codes = bench.tensor(
                dtype,
                i -> i < begin ? 0 : code(step, (i - begin) / columns, (i - begin) % columns),
                begin + (long) rows * columns);
        Tensor inverse = bench.tensor(DType.FP32, i -> values[(int) i], scales.dim(0), scales.dim(1));
        return new ScaledMatrix(codes.view(begin, Shape.of(rows, columns)), inverse, block);
    }

    private static double[] product(ScaleBlock blockOfB, int m, int n, int k, boolean accumulate) {
        var product = new double[m * n];
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                double sum = accumulate ? 3 : 0;
                for (int inner = 0; inner < k; inner++) {
                    int first = blockOfB == ScaleBlock.SQUARE ? column / ScaleBlock.EXTENT : column;
                    sum += code(3, row, inner) * scale(3, row, inner) * code(2, column, inner) * scale(2, first, inner);
                }
                product[row * n + column] = sum;
            }
        }
        return product;
    }

    private static void requireProducts(Bench bench, DType codes, ScaleBlock blockOfB, int m, int n, int k, int begin) {
        ScaledMatrix a = matrix(bench, codes, ScaleBlock.ROW, 3, m, k, begin);
        ScaledMatrix b = matrix(bench, codes, blockOfB, 2, n, k, 0);
        for (boolean accumulate : new boolean[] {false, true}) {
            Tensor c = bench.tensor(DType.FP32, i -> 3, m, n);
            bench.device().kernels().blockScaled().orElseThrow().multiplyNT(bench.queue(), a, b, c, accumulate);
            assertArrayEquals(product(blockOfB, m, n, k, accumulate), bench.read(c));
        }
    }

    @ParameterizedTest
    @CsvSource({"ROW", "SQUARE"})
    void multipliesByTheLibrary(ScaleBlock blockOfB) {
        int before = stub.ofCublasLt("products");
        try (Bench bench = bench()) {
            requireProducts(bench, DType.FP8_E4M3, blockOfB, M, N, K, 0);
        }
        assertEquals(before + 2, stub.ofCublasLt("products"));
        assertEquals(0, stub.ofCublasLt("live"));
    }

    @Test
    void usesTheScalesOfTheCall() {
        try (Bench bench = bench()) {
            ScaledMatrix a = matrix(bench, DType.FP8_E4M3, ScaleBlock.ROW, 3, 8, 16, 0);
            ScaledMatrix b = matrix(bench, DType.FP8_E4M3, ScaleBlock.SQUARE, 2, 8, 16, 0);
            Tensor doubled = bench.tensor(DType.FP32, i -> 2 * scale(3, i, 0), 1, 8);
            var kernels = bench.device().kernels().blockScaled().orElseThrow();
            Tensor once = bench.tensor(DType.BF16, i -> 0, 8, 8);
            Tensor twice = bench.tensor(DType.BF16, i -> 0, 8, 8);
            kernels.multiplyNT(bench.queue(), a, b, once, false);
            kernels.multiplyNT(bench.queue(), new ScaledMatrix(a.codesMK(), doubled, ScaleBlock.ROW), b, twice, false);
            double[] expected = bench.read(once);
            for (int i = 0; i < expected.length; i++) {
                expected[i] *= 2;
            }
            assertArrayEquals(expected, bench.read(twice));
        }
    }

    @Test
    void usesTheOwnKernelForWhatHopperDoesNotSupport() {
        int before = stub.ofCublasLt("heuristics");
        try (Bench bench = bench()) {
            requireProducts(bench, DType.FP8_E5M2, ScaleBlock.SQUARE, 8, 8, 16, 0);
            requireProducts(bench, DType.FP8_E4M3, ScaleBlock.SQUARE, 9, 8, 16, 0);
            requireProducts(bench, DType.FP8_E4M3, ScaleBlock.ROW, 8, 12, 16, 0);
            requireProducts(bench, DType.FP8_E4M3, ScaleBlock.SQUARE, 8, 8, 24, 0);
            requireProducts(bench, DType.FP8_E4M3, ScaleBlock.SQUARE, 8, 8, 16, 8);
        }
        assertEquals(before, stub.ofCublasLt("heuristics"), "nobody asks for what is not there");
    }

    @Test
    void usesNoOlderLibrary() {
        stub.becomeCublasLt(120_803, false);
        int before = stub.ofCublasLt("heuristics");
        try (Bench bench = bench()) {
            requireProducts(bench, DType.FP8_E4M3, ScaleBlock.SQUARE, 8, 8, 16, 0);
        }
        assertEquals(before, stub.ofCublasLt("heuristics"));
    }
}
