package io.hirundo.lib.oracle.gemm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.tensor.DType;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperandErrorTest {
    private static final ArrayRows ORIGINAL = ArrayRows.random(1, 70, 600, 0, RoundedTo.BINARY32);

    private static ArrayRows rounded() {
        var rounded = ORIGINAL.copy();
        for (double[] row : rounded.values()) {
            for (int column = 0; column < row.length; column++) {
                row[column] = RoundedTo.BFLOAT16.round(row[column]);
            }
        }
        return rounded;
    }

    @Test
    void whatIsNotRoundedHasNoError() {
        assertNoError(OperandError.of(ORIGINAL, ORIGINAL, false));
        assertNoError(OperandError.of(ORIGINAL, ORIGINAL.transposed(), true));
    }

    private static void assertNoError(OperandError error) {
        assertEquals(0, error.relative());
        assertEquals(0, error.worstTile());
        assertEquals(0, error.projection().share());
    }

    @Test
    void theErrorOfARoundedOperand() {
        OperandError error = OperandError.of(ORIGINAL, rounded(), false);
        assertEquals(0.42 * 0x1p-8, error.relative(), 1e-4);
        assertTrue(error.worstTile() > error.relative() && error.worstTile() < 2 * error.relative(), error::toString);
        OperandError transposed = OperandError.of(ORIGINAL, rounded().transposed(), true);
        assertEquals(error.relative(), transposed.relative(), 1e-12);
        assertEquals(error.worstTile(), transposed.worstTile(), 1e-12);
    }

    @ParameterizedTest
    @CsvSource({"BF16, 8", "FP8_E4M3, 4", "FP8_E5M2, 3"})
    void roundingUsesLessThanItsTypeExplainsAndAScaleThatIsOffUsesMore(DType type, int significantBits) {
        double largest = OperandError.largest(type);
        assertEquals(Math.scalb(1.0, -significantBits), largest);
        double error = relative(value -> toNearest(value, significantBits));
        assertTrue(error < 0.5 * largest && error > 0.3 * largest, () -> error + " of " + largest);
        assertTrue(relative(value -> toNearest(value, significantBits) * (1 + 1.2 * largest)) > largest);
    }

    private static double relative(DoubleUnaryOperator change) {
        var changed = ORIGINAL.copy();
        for (double[] row : changed.values()) {
            Arrays.setAll(row, column -> change.applyAsDouble(row[column]));
        }
        return OperandError.of(ORIGINAL, changed, false).relative();
    }

    private static double toNearest(double value, int significantBits) {
        double unit = Math.scalb(1.0, Math.getExponent(value) - significantBits + 1);
        return Math.rint(value / unit) * unit;
    }

    @Test
    void aTileThatVanishes() {
        var vanished = rounded();
        for (int row = 32; row < 64; row++) {
            for (int column = 544; column < 576; column++) {
                vanished.values()[row][column] = 0;
            }
        }
        assertEquals(1, OperandError.of(ORIGINAL, vanished, false).worstTile());
        assertEquals(1, OperandError.of(ORIGINAL, vanished.transposed(), true).worstTile());
    }

    @Test
    void whatIsNotANumberInTheOriginalDoesNotCount() {
        var original = ORIGINAL.copy();
        original.values()[3][4] = Double.NaN;
        assertNoError(OperandError.of(original, original, false));
        assertTrue(Double.isNaN(OperandError.of(ORIGINAL, original, false).worstTile()));
    }
}
