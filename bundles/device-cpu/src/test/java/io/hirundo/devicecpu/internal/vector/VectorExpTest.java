package io.hirundo.devicecpu.internal.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.memory.Memory;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class VectorExpTest {
    private static final int VECTORS = 1000;
    private static final int COUNT = VECTORS * Lanes.COUNT;

    private final Arena arena = Arena.ofConfined();
    private final long x = arena.allocate(COUNT * 4L, 64).address();
    private final long y = arena.allocate(COUNT * 4L, 64).address();
    private final long offset = arena.allocate(Lanes.BYTES, 64).address();
    private final long sum = arena.allocate(Lanes.BYTES, 64).address();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void isWithinItsErrorBound() {
        double worst = 0;
        for (int block = 0; block < 20; block++) {
            for (int i = 0; i < COUNT; i++) {
                Memory.setFloat(x + i * 4L, (float) (-87.3 + 175.6 * (i * 20.0 + block) / (20.0 * COUNT)));
            }
            VectorExp.exp(x, y, Lanes.BYTES, VECTORS, 1, offset, sum);
            for (int i = 0; i < COUNT; i++) {
                double expected = Math.exp(Memory.getFloat(x + i * 4L));
                worst = Math.max(worst, Math.abs(Memory.getFloat(y + i * 4L) - expected) / expected);
            }
        }
        assertTrue(worst < 1.2e-7, "relative error " + worst);
    }

    @Test
    void endsAreZeroInfinityAndNaN() {
        assertEquals(1, exp(0));
        assertEquals(1, exp(-0f));
        assertEquals(0, exp(-87.4f));
        assertEquals(0, exp(-1e30f));
        assertEquals(0, exp(Float.NEGATIVE_INFINITY));
        assertEquals(Float.POSITIVE_INFINITY, exp(89.5f));
        assertEquals(Float.POSITIVE_INFINITY, exp(1e30f));
        assertEquals(Float.POSITIVE_INFINITY, exp(Float.POSITIVE_INFINITY));
        assertEquals(Float.NaN, exp(Float.NaN));
    }

    @Test
    void factorOffsetStrideAndSum() {
        for (int i = 0; i < COUNT; i++) {
            Memory.setFloat(x + i * 4L, i % 7);
            Memory.setFloat(y + i * 4L, -1);
        }
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            Memory.setFloat(offset + lane * 4L, lane);
            Memory.setFloat(sum + lane * 4L, 10);
        }
        VectorExp.exp(x, y, 3L * Lanes.BYTES, 2, -2, offset, sum);
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            double first = Math.exp(lane - 2.0 * (lane % 7));
            double second = Math.exp(lane - 2.0 * ((lane + 3 * Lanes.COUNT) % 7));
            assertEquals(first, Memory.getFloat(y + lane * 4L), 1e-6 * first);
            assertEquals(-1, Memory.getFloat(y + Lanes.BYTES + lane * 4L), "the stride skips it");
            assertEquals(second, Memory.getFloat(y + 3L * Lanes.BYTES + lane * 4L), 1e-6 * second);
            assertEquals(10 + first + second, Memory.getFloat(sum + lane * 4L), 1e-6 * (10 + first + second));
        }
    }

    private float exp(float value) {
        Memory.setFloat(x, value);
        VectorExp.exp(x, y, Lanes.BYTES, 1, 1, offset, sum);
        return Memory.getFloat(y);
    }
}
