package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.vector.Lanes;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** Exponentials and dot products of the loops between GEMMs against double arithmetic. */
final class ScoreLoopsTest {
    private static final int KEYS = 301;
    private static final float FACTOR = 0.5f;

    @Test
    void exponentialsAreRoundedAndTheirSumIsNot() {
        try (Arena arena = Arena.ofConfined()) {
            long scores = arena.allocate(KEYS * SCORE_ROW, 64).address();
            long rounded = arena.allocate(KEYS * ScoreLoops.ROUNDED_ROW, 64).address();
            long shift = arena.allocate(Lanes.BYTES, 64).address();
            long sum = arena.allocate(Lanes.BYTES, 64).address();
            for (int key = 0; key < KEYS; key++) {
                for (int lane = 0; lane < Lanes.COUNT; lane++) {
                    // From -300 to 0, so that the smallest results would be subnormal.
                    Memory.setFloat(scores + key * SCORE_ROW + lane * 4L, -key + lane / 100f);
                }
            }
            Memory.setFloat(scores + 3 * SCORE_ROW + 4, Float.NEGATIVE_INFINITY);
            ScoreLoops.exponentiate(scores, KEYS, FACTOR, shift, sum, rounded);
            for (int lane = 0; lane < Lanes.COUNT; lane++) {
                double expectedSum = 0;
                for (int key = 0; key < KEYS; key++) {
                    double expected = Math.exp(FACTOR * Memory.getFloat(scores + key * SCORE_ROW + lane * 4L));
                    double found = Bf16.toFloat(Memory.getShort(rounded + key * ScoreLoops.ROUNDED_ROW + lane * 2L));
                    expectedSum += expected;
                    assertTrue(
                            Math.abs(found - expected) <= (0x1p-8 + 1e-5) * expected + 2e-38,
                            "lane " + lane + " key " + key + ": " + found);
                }
                assertEquals(expectedSum, Memory.getFloat(sum + lane * 4L), 1e-5 * expectedSum);
            }
            assertEquals(0, Memory.getShort(rounded + 3 * ScoreLoops.ROUNDED_ROW + 2), "minus infinity");
        }
    }

    @Test
    void nanPropagates() {
        try (Arena arena = Arena.ofConfined()) {
            long scores = arena.allocate(SCORE_ROW, 64).address();
            long vectors = arena.allocate(4L * Lanes.BYTES, 64).address();
            Memory.setFloat(scores, Float.NaN);
            Memory.setFloat(scores + 4, Float.intBitsToFloat(0xffff0000));
            ScoreLoops.exponentiate(scores, 1, 1, vectors, vectors + Lanes.BYTES, vectors + 2L * Lanes.BYTES);
            for (int lane = 0; lane < 2; lane++) {
                assertTrue(
                        Float.isNaN(Bf16.toFloat(Memory.getShort(vectors + 2L * Lanes.BYTES + lane * 2L))),
                        "lane " + lane);
                assertTrue(Float.isNaN(Memory.getFloat(vectors + Lanes.BYTES + lane * 4L)), "sum of lane " + lane);
            }
        }
    }

    @Test
    void dotsOfAnyLength() {
        try (Arena arena = Arena.ofConfined()) {
            long a = arena.allocate(2 * 200, 64).address();
            long b = arena.allocate(2 * 200, 64).address();
            long into = arena.allocate(8, 64).address();
            for (int i = 0; i < 200; i++) {
                Memory.setShort(a + i * 2L, Bf16.fromFloat((float) Math.sin(i)));
                Memory.setShort(b + i * 2L, Bf16.fromFloat((float) Math.cos(3 * i)));
            }
            for (int count : new int[] {1, 15, 16, 17, 32, 48, 63, 64, 100}) {
                ScoreLoops.dots(a, b, 200, 2, count, into);
                for (int row = 0; row < 2; row++) {
                    double expected = 0;
                    for (int i = row * 100; i < row * 100 + count; i++) {
                        expected += (double) Bf16.toFloat(Memory.getShort(a + i * 2L))
                                * Bf16.toFloat(Memory.getShort(b + i * 2L));
                    }
                    assertEquals(expected, Memory.getFloat(into + row * 4L), 1e-5, count + " elements of row " + row);
                }
            }
        }
    }
}
