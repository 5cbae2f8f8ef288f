package io.hirundo.gemmonednn.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Matrices;
import io.hirundo.testkit.device.ScaledGemmComparison;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** GEMMs of FP8 matrices that oneDNN multiplies in BF16: the reference's values up to the order of a block's sum in FP32. */
class OneDnnScaledGemmTest {
    /** Of each element's size plus the root mean square: 128 products are added in FP32, and a BF16 result may round to its neighbor. */
    private static final double FP32_TOLERANCE = 2e-6;

    private static final double BF16_TOLERANCE = 0x1p-7;

    @TempDir
    static Path cache;

    @BeforeAll
    static void requireInstructions() {
        OneDnn library = OneDnnTest.library(cache);
        assumeTrue(
                library.obstacle(DType.BF16).isEmpty(),
                () -> library.obstacle(DType.BF16).orElse(""));
    }

    private static CpuBackend backend(int workers) {
        return new CpuBackend(new CpuOptions(workers, CpuOptions.VECTOR, "onednn"), List.of(OneDnnTest.library(cache)));
    }

    private static List<double[]> run(CpuBackend backend) {
        try (Bench bench = Bench.open(backend)) {
            return ScaledGemmComparison.run(bench, ScaleRule.EXACT);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ScaleBlock.class,
            names = {"ROW", "SQUARE"})
    void integersAreExact(ScaleBlock block) {
        try (Bench bench = Bench.open(backend(2))) {
            ScaledGemmComparison.requireExactIntegers(bench, block);
        }
    }

    @Test
    void isCloseToTheReference() {
        List<double[]> expected = run(new CpuBackend(new CpuOptions(1, CpuOptions.REFERENCE), List.of()));
        List<double[]> found = run(backend(1));
        for (int i = 0; i < expected.size(); i++) {
            Matrices.requireEachClose(
                    "result " + i, expected.get(i), found.get(i), i % 2 == 0 ? FP32_TOLERANCE : BF16_TOLERANCE);
        }
        List<double[]> again = run(backend(3));
        for (int i = 0; i < found.size(); i++) {
            assertArrayEquals(found.get(i), again.get(i), "result " + i + " with 3 workers");
        }
    }

    @Test
    void rowsAreTheSameInAnyPiece() {
        int rows = 520;
        int n = 300;
        int k = 321;
        try (Bench bench = Bench.open(backend(2))) {
            var random = new Random(1);
            Tensor x = bench.tensor(DType.BF16, _ -> random.nextGaussian(), rows, k);
            Tensor w = bench.tensor(DType.BF16, _ -> random.nextGaussian(), n, k);
            ScaledMatrix b =
                    ScaledGemmComparison.quantized(bench, w, ScaleRule.EXACT, DType.FP8_E4M3, ScaleBlock.SQUARE);
            double[] whole = null;
            for (int[] ends : new int[][] {{rows}, {1, rows}, {17, 80, 145, rows}, {257, 514, rows - 1, rows}}) {
                Tensor c = bench.tensor(DType.FP32, rows, n);
                int first = 0;
                for (int end : ends) {
                    Tensor piece = x.rows(first, end - first);
                    ScaledMatrix a = ScaledGemmComparison.quantized(
                            bench, piece, ScaleRule.EXACT, DType.FP8_E4M3, ScaleBlock.ROW);
                    ScaledGemmComparison.multiply(bench, a, b, c.rows(first, end - first), false);
                    first = end;
                }
                double[] found = bench.read(c);
                whole = whole == null ? found : whole;
                assertArrayEquals(whole, found, "pieces that end at " + Arrays.toString(ends));
            }
        }
    }
}
