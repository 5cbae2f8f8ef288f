package io.hirundo.lib.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.oracle.gemm.ArrayRows;
import io.hirundo.lib.oracle.gemm.RoundedTo;
import io.hirundo.tensor.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TileCheckTest {
    private static final int EXTENT = 32;

    private static ElementError worst(ArrayRows left, ArrayRows right, ArrayRows before, ArrayRows found, DType dtype) {
        return TileCheck.worst(
                left.values(),
                right.values(),
                before == null ? null : before.values(),
                found.values(),
                Rounding.of(dtype));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "7, 0", "64, 0", "64, 3", "2048, 0", "2048, 5"})
    void soundTilesPass(int summands, double mean) {
        for (int seed = 0; seed < 20; seed++) {
            ArrayRows left = ArrayRows.random(seed, EXTENT, summands, mean, RoundedTo.BFLOAT16);
            ArrayRows right = ArrayRows.random(100 + seed, EXTENT, summands, mean, RoundedTo.BFLOAT16);
            ArrayRows before = ArrayRows.random(200 + seed, EXTENT, EXTENT, mean, RoundedTo.BINARY32);
            assertFalse(worst(left, right, null, ArrayRows.product(left, right, null, RoundedTo.BFLOAT16), DType.BF16)
                    .isWrong());
            assertFalse(
                    worst(left, right, before, ArrayRows.product(left, right, before, RoundedTo.BINARY32), DType.FP32)
                            .isWrong());
        }
    }

    /** A bit in the middle of the mantissa of one element. */
    @Test
    void namesTheElementThatIsWrong() {
        ArrayRows left = ArrayRows.random(1, EXTENT, 512, 0, RoundedTo.BINARY32);
        ArrayRows right = ArrayRows.random(2, EXTENT, 512, 0, RoundedTo.BINARY32);
        ArrayRows found = ArrayRows.product(left, right, null, RoundedTo.BINARY32);
        double right57 = found.values()[5][7];
        found.values()[5][7] *= 1 + 0x1p-10;
        ElementError error = worst(left, right, null, found, DType.FP32);
        assertTrue(error.isWrong());
        assertEquals(5, error.row());
        assertEquals(7, error.column());
        assertEquals(right57, error.expected(), error.bound());
        assertEquals(right57 * (1 + 0x1p-10), error.found());
    }

    /** Partial sums are as large as what cancels. */
    @Test
    void summandsThatCancelAreNoFault() {
        ArrayRows left = ArrayRows.random(3, EXTENT, 4096, 0, RoundedTo.BINARY32);
        ArrayRows right = ArrayRows.random(4, EXTENT, 4096, 0, RoundedTo.BINARY32);
        for (int row = 0; row < EXTENT; row++) {
            left.values()[row][0] = 1e4;
            left.values()[row][4095] = -1e4;
            right.values()[row][0] = 1e4;
            right.values()[row][4095] = 1e4;
        }
        assertFalse(worst(left, right, null, ArrayRows.product(left, right, null, RoundedTo.BINARY32), DType.FP32)
                .isWrong());
    }

    @Test
    void nansPropagateAndAreNoFault() {
        ArrayRows left = ArrayRows.random(5, EXTENT, 8, 0, RoundedTo.BINARY32);
        ArrayRows right = ArrayRows.random(6, EXTENT, 8, 0, RoundedTo.BINARY32);
        left.values()[3][2] = Double.NaN;
        ArrayRows found = ArrayRows.product(left, right, null, RoundedTo.BINARY32);
        assertFalse(worst(left, right, null, found, DType.FP32).isWrong());
        found.values()[4][0] = Double.NaN;
        assertTrue(worst(left, right, null, found, DType.FP32).isWrong());
        found.values()[4][0] = 0;
        found.values()[3][0] = 0;
        assertTrue(worst(left, right, null, found, DType.FP32).isWrong(), "a NaN that got lost");
    }
}
