package io.hirundo.devicecpu.internal.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.memory.Memory;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class VectorTanhTest {
    private static final int VECTORS = 2000;
    private static final int COUNT = VECTORS * Lanes.COUNT;

    private final Arena arena = Arena.ofConfined();
    private final long x = arena.allocate(COUNT * 4L, 64).address();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void isWithinItsErrorBound() {
        double worst = 0;
        for (int block = 0; block < 20; block++) {
            float[] given = new float[COUNT];
            for (int i = 0; i < COUNT; i++) {
                given[i] = (float) (-12 + 24 * (i * 20.0 + block) / (20.0 * COUNT));
                Memory.setFloat(x + i * 4L, given[i]);
            }
            VectorTanh.cap(x, Lanes.BYTES, VECTORS, 1);
            for (int i = 0; i < COUNT; i++) {
                double expected = Math.tanh(given[i]);
                if (expected != 0) {
                    worst = Math.max(worst, Math.abs(Memory.getFloat(x + i * 4L) / expected - 1));
                }
            }
        }
        assertTrue(worst < 2e-7, "relative error " + worst);
    }

    @Test
    void capsAndPropagatesNaN() {
        assertEquals(0, capped(0));
        assertEquals(50, capped(1e30f));
        assertEquals(-50, capped(Float.NEGATIVE_INFINITY));
        assertEquals(50 * Math.tanh(0.4), capped(20), 1e-5);
        assertEquals(1e-8f, capped(1e-8f), 1e-15);
        assertEquals(Float.NaN, capped(Float.NaN));
    }

    private float capped(float value) {
        Memory.setFloat(x, value);
        VectorTanh.cap(x, Lanes.BYTES, 1, 50);
        return Memory.getFloat(x);
    }
}
