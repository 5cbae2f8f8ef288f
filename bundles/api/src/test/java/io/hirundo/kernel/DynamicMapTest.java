package io.hirundo.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class DynamicMapTest {
    /** The published values: middles of evenly spaced items between 0.1 and 1, in seven decades. */
    @Test
    void hasThePublishedValues() {
        assertEquals(-0.99296875f, DynamicMap.SIGNED.value(0));
        assertEquals(-5.5e-7f, DynamicMap.SIGNED.value(126));
        assertEquals(0, DynamicMap.SIGNED.value(127));
        assertEquals(5.5e-7f, DynamicMap.SIGNED.value(128));
        assertEquals(3.25e-6f, DynamicMap.SIGNED.value(129));
        assertEquals(0.99296875f, DynamicMap.SIGNED.value(254));
        assertEquals(1, DynamicMap.SIGNED.value(255));
        assertEquals(0, DynamicMap.UNSIGNED.value(0));
        assertEquals(3.25e-7f, DynamicMap.UNSIGNED.value(1));
        assertEquals(7.75e-7f, DynamicMap.UNSIGNED.value(2));
        assertEquals(0.996484375f, DynamicMap.UNSIGNED.value(254));
        assertEquals(1, DynamicMap.UNSIGNED.value(255));
    }

    @Test
    void quantizesToTheNearestValue() {
        for (DynamicMap map : List.of(DynamicMap.SIGNED, DynamicMap.UNSIGNED)) {
            for (int quantized = 0; quantized < 256; quantized++) {
                assertEquals(quantized, map.quantized(map.value(quantized)));
                if (quantized > 0) {
                    assertTrue(map.value(quantized) > map.value(quantized - 1));
                }
            }
            for (float x = -1.1f; x < 1.2f; x += 0.000713f) {
                double least = Double.POSITIVE_INFINITY;
                for (int quantized = 0; quantized < 256; quantized++) {
                    least = Math.min(least, Math.abs((double) map.value(quantized) - x));
                }
                assertEquals(least, Math.abs((double) map.value(map.quantized(x)) - x), 1e-7, "of " + x);
            }
        }
    }

    @Test
    void infinityAndNanAreOne() {
        assertEquals(255, DynamicMap.SIGNED.quantized(Float.POSITIVE_INFINITY));
        assertEquals(255, DynamicMap.SIGNED.quantized(Float.NaN));
        assertEquals(0, DynamicMap.SIGNED.quantized(Float.NEGATIVE_INFINITY));
    }
}
