package io.hirundo.testkit.scalar.scaled;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Normals;
import io.hirundo.testkit.device.ScaledGemmComparison;
import io.hirundo.testkit.scalar.ScalarBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ScalarScaledTest {
    private final Bench bench = Bench.open(new ScalarBackend());
    private final BlockScaledKernels blocks =
            bench.device().kernels().blockScaled().orElseThrow();
    private final MatrixScaledKernels matrices =
            bench.device().kernels().matrixScaled().orElseThrow();
    private final PieceScaledKernels pieces =
            bench.device().kernels().pieceScaled().orElseThrow();

    /** Of a matrix [130, 257] and its transpose: more than two squares, and odd. */
    private final ScaledMatrix rows = matrix(DType.FP8_E4M3, ScaleBlock.SQUARE, 130, 257);

    private final ScaledMatrix columns = matrix(DType.FP8_E4M3, ScaleBlock.SQUARE, 257, 130);

    @AfterEach
    void end() {
        bench.close();
    }

    private ScaledMatrix matrix(DType dtype, ScaleBlock block, long rows, long columns) {
        long[] scales = block.scales(rows, columns).dims().stream()
                .mapToLong(Long::longValue)
                .toArray();
        return new ScaledMatrix(bench.tensor(dtype, rows, columns), bench.tensor(DType.FP32, _ -> -1, scales), block);
    }

    private Tensor normals(long rows, long columns) {
        return bench.tensor(DType.FP32, Normals.of(1), rows, columns);
    }

    /** 448 and 57,344 are the largest values of E4M3 and E5M2; 448 / 3 is 149.3. */
    @ParameterizedTest
    @CsvSource({
        "FP8_E4M3, EXACT, 3, 149.33333",
        "FP8_E4M3, POWER_OF_TWO, 3, 128",
        "FP8_E5M2, POWER_OF_TWO, 3, 16384",
        "FP8_E4M3, EXACT, 0, 1",
        "FP8_E4M3, EXACT, Infinity, 1",
        "FP8_E4M3, EXACT, 1e-44, 3.4028235e38",
        "FP8_E4M3, POWER_OF_TWO, 1e-44, 1.7014118e38"
    })
    void scalesFollowTheFormula(DType dtype, ScaleRule rule, float amax, float scale) {
        assertEquals(scale, ScalarScaled.scale(amax, dtype, DType.FP32, rule));
    }

    @Test
    void quantizesRowsOf128() {
        // 130 columns: the first block's largest magnitude is 448, the other's 2.
        Tensor x = bench.tensor(DType.FP32, i -> i == 5 ? -448 : i == 7 ? 17.1 : i >= 128 ? 2 : Double.NaN, 1, 130);
        ScaledMatrix row = matrix(DType.FP8_E4M3, ScaleBlock.ROW, 1, 130);
        blocks.quantize(bench.queue(), x, ScaleRule.EXACT, row);
        double[] codes = bench.read(row.codesMK());
        assertEquals(Double.NaN, codes[0]);
        assertEquals(-448, codes[5]);
        assertEquals(18, codes[7], "between 16 and 18, 17.1 is nearer to 18");
        assertEquals(448, codes[129]);
        // A scale in each row of four; three are padding.
        assertArrayEquals(new double[] {1, -1, -1, -1, 1 / 224f, -1, -1, -1}, bench.read(row.inverseScales()));
    }

    @ParameterizedTest
    @EnumSource(ScaleBlock.class)
    void productsOfIntegersAreExact(ScaleBlock block) {
        ScaledGemmComparison.requireExactIntegers(bench, block);
    }

    private void quantizeBoth(Tensor x, ScaleRule rule) {
        blocks.quantizeBoth(bench.queue(), x, rule, rows, columns);
    }

    @Test
    void transposeHasTheCodesOfTheMatrix() {
        Tensor x = normals(130, 257);
        quantizeBoth(x, ScaleRule.EXACT);
        assertArrayEquals(ScalarMatrix.transposed(bench.read(rows.codesMK()), 130, 257), bench.read(columns.codesMK()));

        Tensor back = bench.tensor(DType.FP32, 130, 257);
        blocks.dequantize(bench.queue(), rows, back);
        double[] expected = bench.read(x);
        double[] found = bench.read(back);
        for (int i = 0; i < expected.length; i++) {
            // Rounded by a sixteenth, or within the subnormals of a block whose largest magnitude is below 5.
            assertEquals(expected[i], found[i], Math.abs(expected[i]) / 16 + 5.0 / 448 / 1024, "element " + i);
        }
    }

    @Test
    void piecesHaveTheBitsOfTheMatrix() {
        quantizeBoth(normals(130, 257), ScaleRule.POWER_OF_TWO);

        Tensor amax = bench.tensor(DType.FP32, _ -> 0, 2, 4);
        ScaledMatrix gatheredRows = matrix(DType.FP8_E4M3, ScaleBlock.SQUARE, 130, 257);
        ScaledMatrix gatheredColumns = matrix(DType.FP8_E4M3, ScaleBlock.SQUARE, 257, 130);
        long[] bounds = {0, 1000, 130 * 257};
        Tensor flat = bench.tensor(DType.FP32, Normals.of(1), 130 * 257);
        for (boolean measures : new boolean[] {true, false}) {
            for (int i = 0; i < 2; i++) {
                var shape = Shape.of(bounds[i + 1] - bounds[i]);
                var run = new MatrixRun(flat.view(bounds[i], shape), bounds[i], 130, 257);
                if (measures) {
                    pieces.measure(bench.queue(), run, amax);
                } else {
                    pieces.quantize(
                            bench.queue(),
                            run,
                            amax,
                            ScaleRule.POWER_OF_TWO,
                            gatheredRows.codesMK().view(bounds[i], shape));
                }
            }
        }
        pieces.complete(bench.queue(), amax, ScaleRule.POWER_OF_TWO, gatheredRows, gatheredColumns);
        assertSame(rows, gatheredRows);
        assertSame(columns, gatheredColumns);
    }

    private void assertSame(ScaledMatrix expected, ScaledMatrix found) {
        assertArrayEquals(bench.read(expected.codesMK()), bench.read(found.codesMK()));
        assertArrayEquals(bench.read(expected.inverseScales()), bench.read(found.inverseScales()));
    }

    @Test
    void maximumSkipsWhatIsNotFinite() {
        Tensor x = bench.tensor(DType.BF16, i -> i == 0 ? Double.NaN : i == 1 ? Double.NEGATIVE_INFINITY : -i, 5);
        Tensor amax = bench.tensor(DType.FP32, _ -> 9, 1);
        matrices.maximum(bench.queue(), x, amax, true);
        assertArrayEquals(new double[] {9}, bench.read(amax));
        matrices.maximum(bench.queue(), x, amax, false);
        assertArrayEquals(new double[] {4}, bench.read(amax));
    }

    @Test
    void rejectsOperandsByName() {
        Tensor x = normals(3, 5);
        ScaledMatrix other = matrix(DType.FP8_E4M3, ScaleBlock.ROW, 5, 3);
        ScaledMatrix one = matrix(DType.FP8_E4M3, ScaleBlock.MATRIX, 3, 5);
        ScaledMatrix good = matrix(DType.FP8_E4M3, ScaleBlock.ROW, 3, 5);
        requireRejected(
                "rowsMK is [5, 3] (allowed: [3, 5])", () -> blocks.quantize(bench.queue(), x, ScaleRule.EXACT, other));
        requireRejected("rowsMK has scales for MATRIX", () -> blocks.quantize(bench.queue(), x, ScaleRule.EXACT, one));
        requireRejected(
                "rowsMK has scales for ROW",
                () -> matrices.quantize(bench.queue(), x, bench.tensor(DType.FP32, _ -> 1, 1), ScaleRule.EXACT, good));
        requireRejected(
                "xMK is [3, 5] FP8_E4M3", () -> blocks.quantize(bench.queue(), good.codesMK(), ScaleRule.EXACT, good));
        requireRejected(
                "rowsMK.codesMK is [3, 5] FP32",
                () -> blocks.quantize(
                        bench.queue(), x, ScaleRule.EXACT, new ScaledMatrix(x, good.inverseScales(), ScaleBlock.ROW)));
        requireRejected(
                "bNK is [3, 5] (allowed: [5, 5])", () -> blocks.multiplyNT(bench.queue(), good, good, x, false));
    }

    private static void requireRejected(String message, Runnable call) {
        var rejected = assertThrows(IllegalArgumentException.class, call::run);
        assertTrue(rejected.getMessage().startsWith(message), rejected.getMessage());
    }
}
