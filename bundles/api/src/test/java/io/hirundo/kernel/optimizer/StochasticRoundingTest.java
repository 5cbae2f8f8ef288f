package io.hirundo.kernel.optimizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StochasticRoundingTest {
    private static final int DRAWS = 20_000;

    private static float widened(short upperHalf) {
        return Float.intBitsToFloat(upperHalf << 16);
    }

    @ParameterizedTest
    @ValueSource(floats = {1.001f, -1.001f, 3.14159f, 0.7853f, 1e-30f, -65537.3f, 1e-40f, 2 - 0x1p-20f})
    void meanOfManyStepsIsTheValue(float value) {
        double sum = 0;
        for (int step = 0; step < DRAWS; step++) {
            sum += widened(StochasticRounding.rounded(
                    value, StochasticRounding.bits(StochasticRounding.key(1, "w", step), 12345)));
        }
        requireMean(value, sum / DRAWS);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1L << 20, (1L << 32) - DRAWS / 2, 1L << 40})
    void meanOverElementsIsTheValue(long first) {
        long key = StochasticRounding.key(3, "model.embed_tokens.weight", 8);
        double sum = 0;
        for (int i = 0; i < DRAWS; i++) {
            sum += widened(StochasticRounding.rounded(1.003f, StochasticRounding.bits(key, first + i)));
        }
        requireMean(1.003f, sum / DRAWS);
    }

    /** Five standard deviations of a mean of values that are up to one step apart. */
    private static void requireMean(float value, double mean) {
        double step = Math.max(Math.abs(value) * 0x1p-7, 0x1p-133);
        assertEquals(value, mean, 5 * step / 2 / Math.sqrt(DRAWS));
    }

    @Test
    void resultIsANeighbor() {
        for (int i = 0; i < DRAWS; i++) {
            float value = Float.intBitsToFloat(i * 0x9E3779B9);
            if (Float.isFinite(value)) {
                int lower = Float.floatToRawIntBits(value) >>> 16;
                int rounded = StochasticRounding.rounded(value, StochasticRounding.bits(99, i)) & 0xffff;
                assertTrue(
                        rounded == lower || rounded == lower + 1 && (Float.floatToRawIntBits(value) & 0xffff) != 0,
                        "of " + value);
            }
        }
    }

    @Test
    void valuesOfBf16Stay() {
        for (int bits : new int[] {0, 1, 40_000, 65_535}) {
            for (float value :
                    new float[] {0, -0.0f, 1, -1.5f, 0x1p-133f, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
                assertEquals(Float.floatToRawIntBits(value) >>> 16, StochasticRounding.rounded(value, bits) & 0xffff);
            }
        }
    }

    /** Also one whose upper half is that of infinity. */
    @Test
    void nanStaysNan() {
        for (int nan : new int[] {0x7fc00000, 0x7f800001, 0xffffffff, 0x7fffffff}) {
            assertTrue(Float.isNaN(widened(StochasticRounding.rounded(Float.intBitsToFloat(nan), 65_535))));
        }
    }

    @Test
    void beyondTheLargestNumberIsInfinity() {
        assertEquals(Float.POSITIVE_INFINITY, widened(StochasticRounding.rounded(Float.MAX_VALUE, 1)));
        assertTrue(Float.isFinite(widened(StochasticRounding.rounded(Float.MAX_VALUE, 0))));
    }

    @Test
    void keysDifferBySeedTensorAndStep() {
        long key = StochasticRounding.key(1, "w", 1);
        assertEquals(key, StochasticRounding.key(1, "w", 1));
        assertNotEquals(key, StochasticRounding.key(2, "w", 1));
        assertNotEquals(key, StochasticRounding.key(1, "v", 1));
        assertNotEquals(key, StochasticRounding.key(1, "w", 2));
    }

    /** Bits of different steps at one element, and of one step at neighboring elements. */
    @Test
    void bitsAreUncorrelated() {
        long one = StochasticRounding.key(1, "w", 1);
        long two = StochasticRounding.key(1, "w", 2);
        double steps = 0;
        double elements = 0;
        for (int i = 0; i < DRAWS; i++) {
            steps += centered(one, i) * centered(two, i);
            elements += centered(one, i) * centered(one, i + 1);
        }
        // The product of two uniform values from -0.5 to 0.5 has a standard deviation of 1/12.
        double bound = 5 / 12.0 / Math.sqrt(DRAWS);
        assertEquals(0, steps / DRAWS, bound);
        assertEquals(0, elements / DRAWS, bound);
    }

    private static double centered(long key, long index) {
        return (StochasticRounding.bits(key, index) + 0.5) / 65_536 - 0.5;
    }
}
