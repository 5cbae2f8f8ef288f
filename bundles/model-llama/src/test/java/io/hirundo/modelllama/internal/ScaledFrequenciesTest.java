package io.hirundo.modelllama.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScaledFrequenciesTest {
    @Test
    void unscaledFrequenciesAreGeometric() {
        // theta 10000, D 8: 10000^(-i/4) = 10^-i.
        List<Double> frequencies = ScaledFrequencies.of(8, 10000, null);
        assertEquals(4, frequencies.size());
        for (int pair = 0; pair < 4; pair++) {
            assertEquals(Math.pow(10, -pair), frequencies.get(pair), 1e-17);
        }
    }

    /**
     * The same series, stretched by 2 with factors 1 and 4 over 128 positions. Turns over 128 positions: 128 / 2 pi = 20.37,
     * kept; 2.037, blended with s = 1.037 / 3 = 0.345728 to (0.654272 / 2 + 0.345728) / 10; 0.2037 and 0.0204, halved.
     */
    @Test
    void scalesLowFrequenciesAndInterpolates() {
        List<Double> frequencies = ScaledFrequencies.of(8, 10000, new LlamaRopeScaling(2, 1, 4, 128));
        assertEquals(1, frequencies.get(0), 0);
        assertEquals(0.06728638785960434, frequencies.get(1), 1e-16);
        assertEquals(0.005, frequencies.get(2), 1e-17);
        assertEquals(0.0005, frequencies.get(3), 1e-18);
    }

    /** Llama 3.1 8B (D 128, theta 500000), from an independent program: pairs 0 to 28 kept, 29 to 35 blended, the rest / 8. */
    @ParameterizedTest
    @CsvSource({
        "0, 1.0",
        "1, 0.8146172338565447",
        "28, 0.003211445994752591",
        "29, 0.002166570763503359",
        "30, 0.0013718935677611381",
        "34, 1.785078127679964e-4",
        "35, 9.556212353964683e-5",
        "36, 7.78465527393245e-5",
        "63, 3.068925988914511e-7"
    })
    void matchesLlama31(int pair, double expected) {
        List<Double> frequencies = ScaledFrequencies.of(128, 500000, new LlamaRopeScaling());
        assertEquals(64, frequencies.size());
        assertEquals(expected, frequencies.get(pair), 1e-14 * expected);
    }
}
