package io.hirundo.lib.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.oracle.gemm.ArrayRows;
import io.hirundo.lib.oracle.gemm.RoundedTo;
import io.hirundo.tensor.DType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SumCheckTest {
    private static final int ELEMENTS = 1024;

    /** In two orders, as fabrics may have them. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8, 64})
    void soundSumsPassInAnyOrder(int ranks) {
        ArrayRows inputs = ArrayRows.random(ranks, ranks, ELEMENTS, 0.1, RoundedTo.BINARY32);
        double[] ascending = new double[ELEMENTS];
        double[] descending = new double[ELEMENTS];
        for (int column = 0; column < ELEMENTS; column++) {
            float up = 0;
            float down = 0;
            for (int rank = 0; rank < ranks; rank++) {
                up += (float) inputs.values()[rank][column];
                down += (float) inputs.values()[ranks - 1 - rank][column];
            }
            ascending[column] = up;
            descending[column] = down;
        }
        assertFalse(SumCheck.sum(inputs.values(), ascending, DType.FP32).isWrong());
        assertFalse(SumCheck.sum(inputs.values(), descending, DType.FP32).isWrong());
        descending[9] += 1e-3;
        ElementError error = SumCheck.sum(inputs.values(), descending, DType.FP32);
        assertTrue(error.isWrong());
        assertEquals(9, error.column());
    }

    @ParameterizedTest
    @CsvSource({"BINARY32, FP32", "BFLOAT16, BF16"})
    void aRankThatIsMissingIsFound(RoundedTo type, DType dtype) {
        ArrayRows inputs = ArrayRows.random(7, 4, ELEMENTS, 0, type);
        double[] found = new double[ELEMENTS];
        for (int column = 0; column < ELEMENTS; column++) {
            found[column] = type.round(
                    (float) (inputs.values()[0][column] + inputs.values()[1][column] + inputs.values()[2][column]));
        }
        assertTrue(SumCheck.sum(inputs.values(), found, dtype).isWrong());
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e-30, 1})
    void movedElementsMustBeTheSame(double difference) {
        double[] sent = {1, Double.NaN, -0.0, 0};
        assertFalse(SumCheck.move(sent, sent.clone()).isWrong());
        double[] found = sent.clone();
        found[3] = difference;
        assertEquals(3, SumCheck.move(sent, found).column());
        assertTrue(SumCheck.move(sent, found).isWrong());
        assertTrue(SumCheck.maximum(new double[][] {{1}, {3}}, new double[] {1}).isWrong());
        assertFalse(SumCheck.maximum(new double[][] {{1}, {3}}, new double[] {3})
                .isWrong());
    }
}
