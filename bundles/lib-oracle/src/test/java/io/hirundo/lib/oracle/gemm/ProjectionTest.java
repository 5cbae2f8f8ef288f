package io.hirundo.lib.oracle.gemm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.tensor.DType;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProjectionTest {
    private static final Random RANDOM = new Random(3);

    /** Quantized values and what multiplies them. */
    private record Rounded(DType type, ArrayRows values, double[][] scales) implements MatrixRows {
        @Override
        public long rows() {
            return values.rows();
        }

        @Override
        public int columns() {
            return values.columns();
        }

        @Override
        public void read(long row, int first, int count, double[] into) {
            values.read(row, first, count, into);
        }

        @Override
        public void readScales(long row, int first, int count, double[] into) {
            System.arraycopy(scales[(int) row], first, into, 0, count);
        }
    }

    /** Values with a scale per 128 elements of a row for 8-bit types, which fits the largest one. */
    private static Rounded round(ArrayRows original, DType type, double reported, DoubleUnaryOperator rounding) {
        double[][] values = new double[original.values().length][original.columns()];
        double[][] scales = new double[values.length][original.columns()];
        for (int row = 0; row < values.length; row++) {
            for (int column = 0; column < values[row].length; column++) {
                double scale = scale(
                        original.values()[row],
                        column / 128 * 128,
                        ValueGrid.of(type).largest());
                values[row][column] = reported * scale * rounding.applyAsDouble(original.values()[row][column] / scale);
                scales[row][column] = reported * scale;
            }
        }
        return new Rounded(type, new ArrayRows(values), scales);
    }

    private static double scale(double[] row, int first, double largest) {
        double amax = Arrays.stream(row, first, Math.min(first + 128, row.length))
                .map(Math::abs)
                .max()
                .orElseThrow();
        return largest == Double.POSITIVE_INFINITY || amax == 0 ? 1 : amax / largest;
    }

    private static DoubleUnaryOperator toNearest(DType type) {
        ValueGrid grid = ValueGrid.of(type);
        return value -> grid.nearest(value, grid.spacing(value));
    }

    private static DoubleUnaryOperator stochastic(DType type) {
        return value -> {
            double spacing = ValueGrid.of(type).spacing(value);
            return Math.floor(value / spacing + RANDOM.nextDouble()) * spacing;
        };
    }

    private static DoubleUnaryOperator halfAway(DType type) {
        return value -> {
            double spacing = ValueGrid.of(type).spacing(value);
            return Math.copySign(Math.floor(Math.abs(value) / spacing + 0.5) * spacing, value);
        };
    }

    private static Projection of(ArrayRows original, Rounded rounded) {
        return OperandError.of(original, rounded, false).projection();
    }

    private static ArrayRows normals(int rows, int columns) {
        return ArrayRows.random(7, rows, columns, 0, RoundedTo.BFLOAT16);
    }

    private static ArrayRows each(ArrayRows original, DoubleUnaryOperator change) {
        return new ArrayRows(Arrays.stream(original.values())
                .map(row -> Arrays.stream(row).map(change).toArray())
                .toArray(double[][]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "BF16, 1.003",
        "BF16, 0.997",
        "BF16, 1.002",
        "FP8_E4M3, 1.07",
        "FP8_E4M3, 0.93",
        "FP8_E4M3, 1.02",
        "FP8_E5M2, 1.07",
        "FP8_E5M2, 0.93",
        "FP32, 1.00001"
    })
    void rejectsOperandsThatAreOffByAFactor(DType type, double factor) {
        ArrayRows original = ArrayRows.random(5, 64, 80, 0, RoundedTo.BINARY32);
        assertEquals(0, of(original, round(original, type, 1, toNearest(type))).share());
        Rounded scales = round(original, type, factor, toNearest(type));
        assertTrue(of(original, scales).share() > 1, () -> of(original, scales).toString());
        ArrayRows larger = each(original, value -> value * factor);
        assertTrue(of(original, round(larger, type, 1, toNearest(type))).share() > 1);
    }

    /** Normals, constants, small integers that lie between two values, one large element, and a matrix of zeros. */
    @ParameterizedTest
    @CsvSource({"BF16", "FP8_E4M3", "FP8_E5M2"})
    void acceptsEverySoundRounding(DType type) {
        for (ArrayRows original : new ArrayRows[] {
            normals(64, 200),
            normals(5, 3),
            each(normals(64, 130), value -> 1.2345),
            each(normals(64, 130), value -> Math.rint(value * 20)),
            each(normals(64, 130), value -> value > 3 ? 1e4 * value : value),
            each(normals(64, 130), value -> Math.abs(value) * 1e-30),
            each(normals(4, 4), value -> 0)
        }) {
            for (DoubleUnaryOperator rounding :
                    new DoubleUnaryOperator[] {toNearest(type), stochastic(type), halfAway(type)}) {
                Projection projection = of(original, round(original, type, 1, rounding));
                assertTrue(projection.share() <= 1, projection::toString);
            }
        }
    }

    /** A scale of an earlier step clips all elements above a standard deviation; the norm of the error has a bound of its own. */
    @Test
    void saturationAndUnderflowAreNoFactor() {
        ArrayRows original = normals(64, 100);
        double[][] scales = each(original, value -> 1.0 / 448).values();
        ArrayRows clipped = each(original, value -> toNearest(DType.FP8_E4M3).applyAsDouble(value * 448) / 448);
        Projection projection = of(original, new Rounded(DType.FP8_E4M3, clipped, scales));
        assertTrue(projection.factor() < 0.7 && projection.share() <= 1, projection::toString);
        double[][] huge = each(original, value -> 2.0e4).values();
        ArrayRows vanished = each(original, value -> 0);
        assertEquals(
                0, of(original, new Rounded(DType.FP8_E4M3, vanished, huge)).share());
    }

    @Test
    void rejectsTruncation() {
        ArrayRows original = ArrayRows.random(5, 64, 80, 0, RoundedTo.BINARY32);
        DoubleUnaryOperator truncated = value -> {
            double spacing = ValueGrid.of(DType.BF16).spacing(value);
            return Math.copySign(Math.floor(Math.abs(value) / spacing) * spacing, value);
        };
        assertTrue(of(original, round(original, DType.BF16, 1, truncated)).share() > 1);
    }

    @Test
    void notANumberIsRejected() {
        ArrayRows original = normals(2, 2);
        double[] row = DoubleStream.of(Double.NaN, 1).toArray();
        assertEquals(
                Double.POSITIVE_INFINITY,
                of(original, new Rounded(DType.BF16, new ArrayRows(new double[][] {row, row}), new double[][] {
                            {1, 1}, {1, 1}
                        }))
                        .share());
    }

    /** For normally distributed elements. */
    @ParameterizedTest
    @CsvSource({"BF16, 0x1p-8", "FP8_E4M3, 0x1p-4", "FP8_E5M2, 0x1p-3"})
    void theToleranceFallsWithTheNumberOfElements(DType type, double roundoff) {
        for (int rows : new int[] {16, 64, 256}) {
            ArrayRows original = normals(rows, 128);
            double tolerance =
                    of(original, round(original, type, 1, toNearest(type))).tolerance();
            double units = tolerance / roundoff * Math.sqrt(rows * 128);
            assertEquals(7, units, 1);
        }
    }
}
