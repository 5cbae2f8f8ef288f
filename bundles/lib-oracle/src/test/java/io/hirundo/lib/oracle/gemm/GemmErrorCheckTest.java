package io.hirundo.lib.oracle.gemm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class GemmErrorCheckTest {
    private static final int ROWS = 70;
    private static final int COLUMNS = 100;
    private static final int SUMMANDS = 256;

    private static GemmError check(ArrayRows left, ArrayRows right, ArrayRows before, ArrayRows after, RoundedTo type) {
        var leftSums = OperandSums.left(left, true);
        var rightSums = OperandSums.right(right, true);
        return before == null
                ? GemmErrorCheck.of(leftSums, rightSums, ResultSums.of(after), type.rounding())
                : GemmErrorCheck.added(
                        leftSums, rightSums, ResultSums.of(before), ResultSums.of(after), type.rounding());
    }

    /** A bound that is hundreds of times what rounding does would find nothing. */
    @ParameterizedTest
    @CsvSource({
        "BINARY32, 1, 0",
        "BINARY32, 7, 0",
        "BINARY32, 256, 0",
        "BINARY32, 3000, 0",
        "BINARY32, 3000, 2",
        "BFLOAT16, 1, 0",
        "BFLOAT16, 256, 0",
        "BFLOAT16, 3000, 2"
    })
    void whatRoundingDoesIsAllowedAndLittleMore(RoundedTo type, int summands, double mean) {
        double largest = 0;
        for (int seed = 0; seed < 5; seed++) {
            var left = ArrayRows.random(seed, ROWS, summands, mean, RoundedTo.BFLOAT16);
            var right = ArrayRows.random(seed + 50, COLUMNS, summands, mean, type);
            var after = ArrayRows.product(left, right, null, type);
            GemmError error = check(left, right, null, after, type);
            assertFalse(error.isWrong(), error::toString);
            largest = Math.max(largest, error.share());
        }
        assertTrue(largest > 0.005, "share of the bound: " + largest);
    }

    @Test
    void gradientsAreAdded() {
        var left = ArrayRows.random(1, ROWS, SUMMANDS, 0, RoundedTo.BINARY32);
        var right = ArrayRows.random(2, COLUMNS, SUMMANDS, 0, RoundedTo.BINARY32);
        var before = ArrayRows.random(3, ROWS, COLUMNS, 5, RoundedTo.BINARY32);
        var sum = ArrayRows.product(left, right, before, RoundedTo.BINARY32);
        assertFalse(check(left, right, before, sum, RoundedTo.BINARY32).isWrong());
        var overwritten = ArrayRows.product(left, right, null, RoundedTo.BINARY32);
        assertTrue(check(left, right, before, overwritten, RoundedTo.BINARY32).isWrong());
    }

    @Test
    void operandsMayBeStoredTransposed() {
        var left = ArrayRows.random(1, ROWS, SUMMANDS, 0, RoundedTo.BINARY32);
        var right = ArrayRows.random(2, COLUMNS, SUMMANDS, 0, RoundedTo.BINARY32);
        var after = ResultSums.of(ArrayRows.product(left, right, null, RoundedTo.BINARY32));
        var error = GemmErrorCheck.of(
                OperandSums.left(left.transposed(), false),
                OperandSums.right(right.transposed(), false),
                after,
                RoundedTo.BINARY32.rounding());
        assertFalse(error.isWrong(), error::toString);
    }

    private static Arguments fault(String what, RoundedTo type, Consumer<double[][]> fault) {
        return Arguments.of(what, type, fault);
    }

    private static Stream<Arguments> faults() {
        return Stream.of(RoundedTo.values())
                .flatMap(type -> Stream.of(
                        fault("a lost row", type, c -> c[69] = new double[COLUMNS]),
                        fault("the smallest tile, at the edge", type, c -> each(c, 64, 96, x -> 0)),
                        fault("a tile scaled by 1.1", type, c -> each(c, 32, 64, x -> x * 1.1)),
                        fault("all scaled by 1.01", type, c -> each(c, 0, 0, x -> x * 1.01)),
                        fault("two rows exchanged", type, c -> {
                            double[] row = c[3];
                            c[3] = c[4];
                            c[4] = row;
                        }),
                        fault("one exponent bit", type, c -> c[40][50] *= 4),
                        fault(
                                "one sign",
                                type,
                                c -> c[40][50] = c[40][50] < 0 ? 3 * Math.sqrt(SUMMANDS) : -3 * Math.sqrt(SUMMANDS)),
                        fault("not a number", type, c -> c[40][50] = Double.NaN),
                        fault("infinite", type, c -> c[40][50] = Double.NEGATIVE_INFINITY)));
    }

    private static void each(
            double[][] matrix, int firstRow, int firstColumn, java.util.function.DoubleUnaryOperator change) {
        for (int row = firstRow; row < matrix.length; row++) {
            for (int column = firstColumn; column < matrix[row].length; column++) {
                matrix[row][column] = change.applyAsDouble(matrix[row][column]);
            }
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("faults")
    void faultsAreFound(String what, RoundedTo type, Consumer<double[][]> fault) {
        var left = ArrayRows.random(1, ROWS, SUMMANDS, 0, type);
        var right = ArrayRows.random(2, COLUMNS, SUMMANDS, 0, type);
        var after = ArrayRows.product(left, right, null, type);
        assertFalse(check(left, right, null, after, type).isWrong());
        fault.accept(after.values());
        GemmError error = check(left, right, null, after, type);
        assertTrue(error.isWrong(), error::toString);
    }

    /** Of 2,000 summands, as where the contribution of one token is lost. */
    @Test
    void aLostSummandIsFound() {
        var left = ArrayRows.random(1, ROWS, 2000, 0, RoundedTo.BFLOAT16);
        var right = ArrayRows.random(2, COLUMNS, 2000, 0, RoundedTo.BFLOAT16);
        var fewer = left.copy();
        for (double[] row : fewer.values()) {
            row[1234] = 0;
        }
        assertTrue(
                check(left, right, null, ArrayRows.product(fewer, right, null, RoundedTo.BINARY32), RoundedTo.BINARY32)
                        .isWrong());
    }

    /** In the sum of all tiles, where each of them hides it. */
    @Test
    void aThousandthTooMuchIsFoundInManyTiles() {
        var left = ArrayRows.random(1, 640, 64, 0, RoundedTo.BFLOAT16);
        var right = ArrayRows.random(2, 640, 64, 0, RoundedTo.BFLOAT16);
        var after = ArrayRows.product(left, right, null, RoundedTo.BINARY32);
        each(after.values(), 0, 0, x -> RoundedTo.BFLOAT16.round(x * 1.001));
        GemmError error = check(left, right, null, after, RoundedTo.BFLOAT16);
        assertTrue(error.isWrong() && error.row() == -1, error::toString);
    }

    @Test
    void theTileIsNamed() {
        var left = ArrayRows.random(1, ROWS, SUMMANDS, 0, RoundedTo.BINARY32);
        var right = ArrayRows.random(2, COLUMNS, SUMMANDS, 0, RoundedTo.BINARY32);
        var after = ArrayRows.product(left, right, null, RoundedTo.BINARY32);
        after.values()[65][40] += 1;
        GemmError error = check(left, right, null, after, RoundedTo.BINARY32);
        assertTrue(error.isWrong() && error.row() == 64 && error.column() == 32, error::toString);
    }

    @Test
    void whatIsNotANumberIsPassedOn() {
        var left = ArrayRows.random(1, ROWS, SUMMANDS, 0, RoundedTo.BINARY32);
        var right = ArrayRows.random(2, COLUMNS, SUMMANDS, 0, RoundedTo.BINARY32);
        left.values()[5][7] = Double.NaN;
        var after = ArrayRows.product(left, right, null, RoundedTo.BINARY32);
        assertFalse(check(left, right, null, after, RoundedTo.BINARY32).isWrong());
        after.values()[5] = new double[COLUMNS];
        assertTrue(check(left, right, null, after, RoundedTo.BINARY32).isWrong());
    }

    @Test
    void sizesMustFit() {
        var left = ArrayRows.random(1, ROWS, SUMMANDS, 0, RoundedTo.BINARY32);
        assertThrows(IllegalArgumentException.class, () -> check(left, left, null, left, RoundedTo.BINARY32));
    }
}
