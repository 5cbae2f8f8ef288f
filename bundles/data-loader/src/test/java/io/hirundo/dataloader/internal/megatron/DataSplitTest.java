package io.hirundo.dataloader.internal.megatron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataSplitTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "990,10,0; 1000; 990; 1000",
                "990,10,0; 10; 10; 10",
                // 0.5 * 5 and 1.5 * 1: ties round to even.
                "1,1,0; 5; 2; 5",
                "1,1,0; 7; 4; 7",
                "969, 30, 1; 12345; 11962; 12333",
                "0,1,0; 3; 0; 3",
                "1; 3; 3; 3",
                ".5,.25,.25; 4; 2; 3",
            })
    void bordersAreRoundedHalfToEven(String split, int sequences, int training, int validation) {
        var parsed = DataSplit.parse(split);
        assertEquals(new DataSplit.Part(0, training), parsed.trainingOf(sequences));
        assertEquals(new DataSplit.Part(training, validation), parsed.validationOf(sequences));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "1,,1", "1,-1,0", "0,0,0", "1,2,3,4", "1e3", "NaN"})
    void rejectsInvalidSplits(String split) {
        var failure = assertThrows(IllegalArgumentException.class, () -> DataSplit.parse(split));
        assertTrue(failure.getMessage().contains("\"" + split + "\""), failure::getMessage);
    }

    @Test
    void sumsEqualNumpysBitwise() {
        assertEquals(0x1.3333333333334p-2, Weights.sum(new double[] {.1, .1, .1}));
        assertEquals(0x1.0000000000000p+0, Weights.sum(new double[] {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}));
        assertEquals(0x1.477cc543afbdep+1, Weights.sum(harmonic(30)));
        assertEquals(0x1.3283d93b7feebp+2, Weights.sum(harmonic(300)));
    }

    private static double[] harmonic(int count) {
        double[] values = new double[count];
        java.util.Arrays.setAll(values, i -> 1.0 / (i + 3));
        return values;
    }
}
