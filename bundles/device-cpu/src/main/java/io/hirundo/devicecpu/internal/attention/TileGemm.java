package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.BYTES;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.vector.Lanes;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;

/**
 * GEMMs of small FP32 matrices that fit in the caches: {@code c += a b}. Rows of b and c are
 * whole vectors; a is read a float at a time, at any row and column stride, so that it may be stored transposed. All
 * strides and addresses are in bytes. Products are added to an element of c in the order of the depth, by one
 * fused multiply-add each.
 *
 * <p>The inner methods are written out, without helpers or branches between vectors: the JIT compiler stops inlining helpers
 * in methods of this size, and what it does not inline it boxes, at a tenth of the speed. Nor is there a masked load or a
 * second variant in them, to begin from zeros: C1, which compiles first, then runs out of registers, and a method can be
 * stuck with its slowest code for good.
 */
final class TileGemm {
    /** Rows of c are worked on in fours; the callers' tiles are padded to it. */
    static final int ROWS = 4;

    private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ORDER);

    /** Vectors of a row block that fit into the registers: 16 accumulators need AVX-512's 32 registers. */
    private static final int WIDEST = Lanes.COUNT >= 16 ? 4 : 3;

    private TileGemm() {}

    /**
     * Adds the product of four rows of a and all of b to four rows of c.
     *
     * @param aRow from one row of a to the next
     * @param aStep from one column of a to the next
     * @param vectors of a row of b and c
     * @param depth columns of a, rows of b
     */
    static void fourRows(long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int vectors, int depth) {
        int vector = 0;
        while (vector < vectors) {
            long bColumn = b + (long) vector * BYTES;
            long cColumn = c + (long) vector * BYTES;
            int left = vectors - vector;
            // Five vectors are three and two: a block of one cannot hide the latency of its multiply-adds.
            int width = left == WIDEST + 1 ? WIDEST - 1 : Math.min(left, WIDEST);
            switch (width) {
                case 4 -> fourBy4(a, aRow, aStep, bColumn, bStep, cColumn, cRow, depth);
                case 3 -> fourBy3(a, aRow, aStep, bColumn, bStep, cColumn, cRow, depth);
                case 2 -> fourBy2(a, aRow, aStep, bColumn, bStep, cColumn, cRow, depth);
                default -> fourBy1(a, aRow, aStep, bColumn, bStep, cColumn, cRow, depth);
            }
            vector += width;
        }
    }

    private static void fourBy4(long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int depth) {
        long aRow2 = 2 * aRow;
        long aRow3 = 3 * aRow;
        FloatVector c00 = fromMemorySegment(FLOATS, ALL, c, ORDER);
        FloatVector c01 = fromMemorySegment(FLOATS, ALL, c + BYTES, ORDER);
        FloatVector c02 = fromMemorySegment(FLOATS, ALL, c + 2 * BYTES, ORDER);
        FloatVector c03 = fromMemorySegment(FLOATS, ALL, c + 3 * BYTES, ORDER);
        FloatVector c10 = fromMemorySegment(FLOATS, ALL, c + cRow, ORDER);
        FloatVector c11 = fromMemorySegment(FLOATS, ALL, c + cRow + BYTES, ORDER);
        FloatVector c12 = fromMemorySegment(FLOATS, ALL, c + cRow + 2 * BYTES, ORDER);
        FloatVector c13 = fromMemorySegment(FLOATS, ALL, c + cRow + 3 * BYTES, ORDER);
        FloatVector c20 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow, ORDER);
        FloatVector c21 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow + BYTES, ORDER);
        FloatVector c22 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow + 2 * BYTES, ORDER);
        FloatVector c23 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow + 3 * BYTES, ORDER);
        FloatVector c30 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow, ORDER);
        FloatVector c31 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow + BYTES, ORDER);
        FloatVector c32 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow + 2 * BYTES, ORDER);
        FloatVector c33 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow + 3 * BYTES, ORDER);
        for (int step = 0; step < depth; step++) {
            FloatVector b0 = fromMemorySegment(FLOATS, ALL, b, ORDER);
            FloatVector b1 = fromMemorySegment(FLOATS, ALL, b + BYTES, ORDER);
            FloatVector b2 = fromMemorySegment(FLOATS, ALL, b + 2 * BYTES, ORDER);
            FloatVector b3 = fromMemorySegment(FLOATS, ALL, b + 3 * BYTES, ORDER);
            FloatVector x = broadcast(FLOATS, ALL.get(FP32, a));
            c00 = x.fma(b0, c00);
            c01 = x.fma(b1, c01);
            c02 = x.fma(b2, c02);
            c03 = x.fma(b3, c03);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow));
            c10 = x.fma(b0, c10);
            c11 = x.fma(b1, c11);
            c12 = x.fma(b2, c12);
            c13 = x.fma(b3, c13);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow2));
            c20 = x.fma(b0, c20);
            c21 = x.fma(b1, c21);
            c22 = x.fma(b2, c22);
            c23 = x.fma(b3, c23);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow3));
            c30 = x.fma(b0, c30);
            c31 = x.fma(b1, c31);
            c32 = x.fma(b2, c32);
            c33 = x.fma(b3, c33);
            a += aStep;
            b += bStep;
        }
        c00.intoMemorySegment(ALL, c, ORDER);
        c01.intoMemorySegment(ALL, c + BYTES, ORDER);
        c02.intoMemorySegment(ALL, c + 2 * BYTES, ORDER);
        c03.intoMemorySegment(ALL, c + 3 * BYTES, ORDER);
        c10.intoMemorySegment(ALL, c + cRow, ORDER);
        c11.intoMemorySegment(ALL, c + cRow + BYTES, ORDER);
        c12.intoMemorySegment(ALL, c + cRow + 2 * BYTES, ORDER);
        c13.intoMemorySegment(ALL, c + cRow + 3 * BYTES, ORDER);
        c20.intoMemorySegment(ALL, c + 2 * cRow, ORDER);
        c21.intoMemorySegment(ALL, c + 2 * cRow + BYTES, ORDER);
        c22.intoMemorySegment(ALL, c + 2 * cRow + 2 * BYTES, ORDER);
        c23.intoMemorySegment(ALL, c + 2 * cRow + 3 * BYTES, ORDER);
        c30.intoMemorySegment(ALL, c + 3 * cRow, ORDER);
        c31.intoMemorySegment(ALL, c + 3 * cRow + BYTES, ORDER);
        c32.intoMemorySegment(ALL, c + 3 * cRow + 2 * BYTES, ORDER);
        c33.intoMemorySegment(ALL, c + 3 * cRow + 3 * BYTES, ORDER);
    }

    private static void fourBy3(long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int depth) {
        long aRow2 = 2 * aRow;
        long aRow3 = 3 * aRow;
        FloatVector c00 = fromMemorySegment(FLOATS, ALL, c, ORDER);
        FloatVector c01 = fromMemorySegment(FLOATS, ALL, c + BYTES, ORDER);
        FloatVector c02 = fromMemorySegment(FLOATS, ALL, c + 2 * BYTES, ORDER);
        FloatVector c10 = fromMemorySegment(FLOATS, ALL, c + cRow, ORDER);
        FloatVector c11 = fromMemorySegment(FLOATS, ALL, c + cRow + BYTES, ORDER);
        FloatVector c12 = fromMemorySegment(FLOATS, ALL, c + cRow + 2 * BYTES, ORDER);
        FloatVector c20 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow, ORDER);
        FloatVector c21 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow + BYTES, ORDER);
        FloatVector c22 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow + 2 * BYTES, ORDER);
        FloatVector c30 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow, ORDER);
        FloatVector c31 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow + BYTES, ORDER);
        FloatVector c32 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow + 2 * BYTES, ORDER);
        for (int step = 0; step < depth; step++) {
            FloatVector b0 = fromMemorySegment(FLOATS, ALL, b, ORDER);
            FloatVector b1 = fromMemorySegment(FLOATS, ALL, b + BYTES, ORDER);
            FloatVector b2 = fromMemorySegment(FLOATS, ALL, b + 2 * BYTES, ORDER);
            FloatVector x = broadcast(FLOATS, ALL.get(FP32, a));
            c00 = x.fma(b0, c00);
            c01 = x.fma(b1, c01);
            c02 = x.fma(b2, c02);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow));
            c10 = x.fma(b0, c10);
            c11 = x.fma(b1, c11);
            c12 = x.fma(b2, c12);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow2));
            c20 = x.fma(b0, c20);
            c21 = x.fma(b1, c21);
            c22 = x.fma(b2, c22);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow3));
            c30 = x.fma(b0, c30);
            c31 = x.fma(b1, c31);
            c32 = x.fma(b2, c32);
            a += aStep;
            b += bStep;
        }
        c00.intoMemorySegment(ALL, c, ORDER);
        c01.intoMemorySegment(ALL, c + BYTES, ORDER);
        c02.intoMemorySegment(ALL, c + 2 * BYTES, ORDER);
        c10.intoMemorySegment(ALL, c + cRow, ORDER);
        c11.intoMemorySegment(ALL, c + cRow + BYTES, ORDER);
        c12.intoMemorySegment(ALL, c + cRow + 2 * BYTES, ORDER);
        c20.intoMemorySegment(ALL, c + 2 * cRow, ORDER);
        c21.intoMemorySegment(ALL, c + 2 * cRow + BYTES, ORDER);
        c22.intoMemorySegment(ALL, c + 2 * cRow + 2 * BYTES, ORDER);
        c30.intoMemorySegment(ALL, c + 3 * cRow, ORDER);
        c31.intoMemorySegment(ALL, c + 3 * cRow + BYTES, ORDER);
        c32.intoMemorySegment(ALL, c + 3 * cRow + 2 * BYTES, ORDER);
    }

    private static void fourBy2(long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int depth) {
        long aRow2 = 2 * aRow;
        long aRow3 = 3 * aRow;
        FloatVector c00 = fromMemorySegment(FLOATS, ALL, c, ORDER);
        FloatVector c01 = fromMemorySegment(FLOATS, ALL, c + BYTES, ORDER);
        FloatVector c10 = fromMemorySegment(FLOATS, ALL, c + cRow, ORDER);
        FloatVector c11 = fromMemorySegment(FLOATS, ALL, c + cRow + BYTES, ORDER);
        FloatVector c20 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow, ORDER);
        FloatVector c21 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow + BYTES, ORDER);
        FloatVector c30 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow, ORDER);
        FloatVector c31 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow + BYTES, ORDER);
        for (int step = 0; step < depth; step++) {
            FloatVector b0 = fromMemorySegment(FLOATS, ALL, b, ORDER);
            FloatVector b1 = fromMemorySegment(FLOATS, ALL, b + BYTES, ORDER);
            FloatVector x = broadcast(FLOATS, ALL.get(FP32, a));
            c00 = x.fma(b0, c00);
            c01 = x.fma(b1, c01);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow));
            c10 = x.fma(b0, c10);
            c11 = x.fma(b1, c11);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow2));
            c20 = x.fma(b0, c20);
            c21 = x.fma(b1, c21);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow3));
            c30 = x.fma(b0, c30);
            c31 = x.fma(b1, c31);
            a += aStep;
            b += bStep;
        }
        c00.intoMemorySegment(ALL, c, ORDER);
        c01.intoMemorySegment(ALL, c + BYTES, ORDER);
        c10.intoMemorySegment(ALL, c + cRow, ORDER);
        c11.intoMemorySegment(ALL, c + cRow + BYTES, ORDER);
        c20.intoMemorySegment(ALL, c + 2 * cRow, ORDER);
        c21.intoMemorySegment(ALL, c + 2 * cRow + BYTES, ORDER);
        c30.intoMemorySegment(ALL, c + 3 * cRow, ORDER);
        c31.intoMemorySegment(ALL, c + 3 * cRow + BYTES, ORDER);
    }

    private static void fourBy1(long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int depth) {
        long aRow2 = 2 * aRow;
        long aRow3 = 3 * aRow;
        FloatVector c00 = fromMemorySegment(FLOATS, ALL, c, ORDER);
        FloatVector c10 = fromMemorySegment(FLOATS, ALL, c + cRow, ORDER);
        FloatVector c20 = fromMemorySegment(FLOATS, ALL, c + 2 * cRow, ORDER);
        FloatVector c30 = fromMemorySegment(FLOATS, ALL, c + 3 * cRow, ORDER);
        for (int step = 0; step < depth; step++) {
            FloatVector b0 = fromMemorySegment(FLOATS, ALL, b, ORDER);
            FloatVector x = broadcast(FLOATS, ALL.get(FP32, a));
            c00 = x.fma(b0, c00);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow));
            c10 = x.fma(b0, c10);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow2));
            c20 = x.fma(b0, c20);
            x = broadcast(FLOATS, ALL.get(FP32, a + aRow3));
            c30 = x.fma(b0, c30);
            a += aStep;
            b += bStep;
        }
        c00.intoMemorySegment(ALL, c, ORDER);
        c10.intoMemorySegment(ALL, c + cRow, ORDER);
        c20.intoMemorySegment(ALL, c + 2 * cRow, ORDER);
        c30.intoMemorySegment(ALL, c + 3 * cRow, ORDER);
    }
}
