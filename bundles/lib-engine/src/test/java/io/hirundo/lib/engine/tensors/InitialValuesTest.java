package io.hirundo.lib.engine.tensors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hirundo.model.parameter.Initialization;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InitialValuesTest {
    private static final Initialization NORMAL = Initialization.normal(0.02);
    private static final String PATH = "model.layers.0.mlp.up_proj.weight";

    private final InitialValues values = new InitialValues(PATH, 1234, NORMAL);

    @Test
    void isNormallyDistributed() {
        int count = 200_000;
        double sum = 0;
        double squares = 0;
        double fourths = 0;
        for (int i = 0; i < count; i++) {
            double value = values.at(i) / 0.02;
            sum += value;
            squares += value * value;
            fourths += value * value * value * value;
        }
        assertEquals(0, sum / count, 0.01);
        assertEquals(1, squares / count, 0.02);
        assertEquals(3, fourths / count, 0.1);
    }

    @Test
    void dependsOnSeedNameAndIndex() {
        double value = values.at(7);
        assertEquals(value, new InitialValues(PATH, 1234, NORMAL).at(7));
        assertNotEquals(value, new InitialValues(PATH, 1235, NORMAL).at(7));
        assertNotEquals(value, values.at(8));
        assertNotEquals(value, new InitialValues("model.layers.1.mlp.up_proj.weight", 1234, NORMAL).at(7));
    }

    @Test
    void fastPathGivesTheSameValues() {
        var around = new InitialValues(PATH, 1234, new Initialization(1, 0.02));
        var constant = new InitialValues(PATH, 1234, Initialization.ONES);
        for (long i : LongStream.range(0, 100_000).map(i -> i * 1_000_003).toArray()) {
            assertEquals((float) values.at(i), values.floatAt(i));
            assertEquals((float) around.at(i), around.floatAt(i));
            assertEquals((float) constant.at(i), constant.floatAt(i));
        }
    }

    /** Values so close to the middle between two FP32 numbers that the last bits of logarithm and cosine decide; one in 12 million. */
    @ParameterizedTest
    @ValueSource(longs = {32_010_347, 63_074_681, 69_280_299, 85_158_779, 98_188_969})
    void fastPathRoundsTiesTheSameWay(long index) {
        assertEquals((float) values.at(index), values.floatAt(index));
    }
}
