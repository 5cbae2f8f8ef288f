package io.hirundo.devicecpu.internal.gemm.loops;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;

import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The innermost GEMM: a strip of packed a (6 rows) times a panel of packed b (1, 2 or 4 vectors of columns), summed in
 * registers. With 512-bit vectors the widest one keeps 24 sums in the 32 registers and makes 24 multiply-adds of 10 loads.
 *
 * <p>Each sum is one chain of fused multiply-adds in the order of k, in every variant, so an element of the result does not
 * depend on the place it has in a tile.
 *
 * <p>The methods are written out, without helpers or arrays of vectors, because only then does the JIT compiler (C2 of JDK
 * 25) keep the sums in registers: helpers of one's own are not inlined any more once a method has grown this large, and a
 * vector that leaves a method is boxed, at a twentieth of the speed.
 */
public final class Microkernel {
    /** Rows of a strip. */
    public static final int ROWS = 6;

    public static final VectorSpecies<Float> LANES = FloatVector.SPECIES_PREFERRED;

    /** Columns of a vector. */
    public static final int VECTOR_COLUMNS = LANES.length();

    /**
     * Vectors of a full panel: 24 sums and their operands need 32 registers, which AVX-512 and NEON have; AVX2 has 16, and
     * room for 12 sums.
     */
    static final int PANEL_VECTORS = LANES.vectorBitSize() == 256 ? 2 : 4;

    /** Columns of a full panel. */
    public static final int PANEL_COLUMNS = PANEL_VECTORS * VECTOR_COLUMNS;

    private static final int VECTOR_BYTES = LANES.vectorByteSize();
    private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ORDER);

    /**
     * Writes the sums over c.
     *
     * @param a FP32 [k, 6]
     * @param aStep bytes from a column of a to the next
     * @param b FP32 [k, columns]
     * @param columns 1, 2 or 4 vectors
     * @param c FP32, 6 rows of these columns
     * @param cRowBytes from a row of c to the next
     */
    public static void multiply(long a, long aStep, long b, int columns, int k, long c, long cRowBytes) {
        switch (columns / VECTOR_COLUMNS) {
            case 4 -> columns4(a, aStep, b, k, c, cRowBytes);
            case 2 -> columns2(a, aStep, b, k, c, cRowBytes);
            case 1 -> columns1(a, aStep, b, k, c, cRowBytes);
            default -> throw new IllegalArgumentException("a panel of " + columns + " columns");
        }
    }

    /** 6 rows of four vectors. */
    private static void columns4(long a, long aStep, long b, int k, long c, long cRowBytes) {
        FloatVector c00 = FloatVector.zero(LANES);
        FloatVector c01 = FloatVector.zero(LANES);
        FloatVector c02 = FloatVector.zero(LANES);
        FloatVector c03 = FloatVector.zero(LANES);
        FloatVector c10 = FloatVector.zero(LANES);
        FloatVector c11 = FloatVector.zero(LANES);
        FloatVector c12 = FloatVector.zero(LANES);
        FloatVector c13 = FloatVector.zero(LANES);
        FloatVector c20 = FloatVector.zero(LANES);
        FloatVector c21 = FloatVector.zero(LANES);
        FloatVector c22 = FloatVector.zero(LANES);
        FloatVector c23 = FloatVector.zero(LANES);
        FloatVector c30 = FloatVector.zero(LANES);
        FloatVector c31 = FloatVector.zero(LANES);
        FloatVector c32 = FloatVector.zero(LANES);
        FloatVector c33 = FloatVector.zero(LANES);
        FloatVector c40 = FloatVector.zero(LANES);
        FloatVector c41 = FloatVector.zero(LANES);
        FloatVector c42 = FloatVector.zero(LANES);
        FloatVector c43 = FloatVector.zero(LANES);
        FloatVector c50 = FloatVector.zero(LANES);
        FloatVector c51 = FloatVector.zero(LANES);
        FloatVector c52 = FloatVector.zero(LANES);
        FloatVector c53 = FloatVector.zero(LANES);
        for (int i = 0; i < k; i++) {
            FloatVector b0 = FloatVector.fromMemorySegment(LANES, ALL, b, ORDER);
            FloatVector b1 = FloatVector.fromMemorySegment(LANES, ALL, b + VECTOR_BYTES, ORDER);
            FloatVector b2 = FloatVector.fromMemorySegment(LANES, ALL, b + 2 * VECTOR_BYTES, ORDER);
            FloatVector b3 = FloatVector.fromMemorySegment(LANES, ALL, b + 3 * VECTOR_BYTES, ORDER);
            FloatVector a0 = FloatVector.broadcast(LANES, ALL.get(FP32, a));
            c00 = a0.fma(b0, c00);
            c01 = a0.fma(b1, c01);
            c02 = a0.fma(b2, c02);
            c03 = a0.fma(b3, c03);
            FloatVector a1 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 4));
            c10 = a1.fma(b0, c10);
            c11 = a1.fma(b1, c11);
            c12 = a1.fma(b2, c12);
            c13 = a1.fma(b3, c13);
            FloatVector a2 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 8));
            c20 = a2.fma(b0, c20);
            c21 = a2.fma(b1, c21);
            c22 = a2.fma(b2, c22);
            c23 = a2.fma(b3, c23);
            FloatVector a3 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 12));
            c30 = a3.fma(b0, c30);
            c31 = a3.fma(b1, c31);
            c32 = a3.fma(b2, c32);
            c33 = a3.fma(b3, c33);
            FloatVector a4 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 16));
            c40 = a4.fma(b0, c40);
            c41 = a4.fma(b1, c41);
            c42 = a4.fma(b2, c42);
            c43 = a4.fma(b3, c43);
            FloatVector a5 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 20));
            c50 = a5.fma(b0, c50);
            c51 = a5.fma(b1, c51);
            c52 = a5.fma(b2, c52);
            c53 = a5.fma(b3, c53);
            a += aStep;
            b += 4 * VECTOR_BYTES;
        }
        c00.intoMemorySegment(ALL, c, ORDER);
        c01.intoMemorySegment(ALL, c + VECTOR_BYTES, ORDER);
        c02.intoMemorySegment(ALL, c + 2 * VECTOR_BYTES, ORDER);
        c03.intoMemorySegment(ALL, c + 3 * VECTOR_BYTES, ORDER);
        c10.intoMemorySegment(ALL, c + cRowBytes, ORDER);
        c11.intoMemorySegment(ALL, c + cRowBytes + VECTOR_BYTES, ORDER);
        c12.intoMemorySegment(ALL, c + cRowBytes + 2 * VECTOR_BYTES, ORDER);
        c13.intoMemorySegment(ALL, c + cRowBytes + 3 * VECTOR_BYTES, ORDER);
        c20.intoMemorySegment(ALL, c + 2 * cRowBytes, ORDER);
        c21.intoMemorySegment(ALL, c + 2 * cRowBytes + VECTOR_BYTES, ORDER);
        c22.intoMemorySegment(ALL, c + 2 * cRowBytes + 2 * VECTOR_BYTES, ORDER);
        c23.intoMemorySegment(ALL, c + 2 * cRowBytes + 3 * VECTOR_BYTES, ORDER);
        c30.intoMemorySegment(ALL, c + 3 * cRowBytes, ORDER);
        c31.intoMemorySegment(ALL, c + 3 * cRowBytes + VECTOR_BYTES, ORDER);
        c32.intoMemorySegment(ALL, c + 3 * cRowBytes + 2 * VECTOR_BYTES, ORDER);
        c33.intoMemorySegment(ALL, c + 3 * cRowBytes + 3 * VECTOR_BYTES, ORDER);
        c40.intoMemorySegment(ALL, c + 4 * cRowBytes, ORDER);
        c41.intoMemorySegment(ALL, c + 4 * cRowBytes + VECTOR_BYTES, ORDER);
        c42.intoMemorySegment(ALL, c + 4 * cRowBytes + 2 * VECTOR_BYTES, ORDER);
        c43.intoMemorySegment(ALL, c + 4 * cRowBytes + 3 * VECTOR_BYTES, ORDER);
        c50.intoMemorySegment(ALL, c + 5 * cRowBytes, ORDER);
        c51.intoMemorySegment(ALL, c + 5 * cRowBytes + VECTOR_BYTES, ORDER);
        c52.intoMemorySegment(ALL, c + 5 * cRowBytes + 2 * VECTOR_BYTES, ORDER);
        c53.intoMemorySegment(ALL, c + 5 * cRowBytes + 3 * VECTOR_BYTES, ORDER);
    }

    /** 6 rows of two vectors. */
    private static void columns2(long a, long aStep, long b, int k, long c, long cRowBytes) {
        FloatVector c00 = FloatVector.zero(LANES);
        FloatVector c01 = FloatVector.zero(LANES);
        FloatVector c10 = FloatVector.zero(LANES);
        FloatVector c11 = FloatVector.zero(LANES);
        FloatVector c20 = FloatVector.zero(LANES);
        FloatVector c21 = FloatVector.zero(LANES);
        FloatVector c30 = FloatVector.zero(LANES);
        FloatVector c31 = FloatVector.zero(LANES);
        FloatVector c40 = FloatVector.zero(LANES);
        FloatVector c41 = FloatVector.zero(LANES);
        FloatVector c50 = FloatVector.zero(LANES);
        FloatVector c51 = FloatVector.zero(LANES);
        for (int i = 0; i < k; i++) {
            FloatVector b0 = FloatVector.fromMemorySegment(LANES, ALL, b, ORDER);
            FloatVector b1 = FloatVector.fromMemorySegment(LANES, ALL, b + VECTOR_BYTES, ORDER);
            FloatVector a0 = FloatVector.broadcast(LANES, ALL.get(FP32, a));
            c00 = a0.fma(b0, c00);
            c01 = a0.fma(b1, c01);
            FloatVector a1 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 4));
            c10 = a1.fma(b0, c10);
            c11 = a1.fma(b1, c11);
            FloatVector a2 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 8));
            c20 = a2.fma(b0, c20);
            c21 = a2.fma(b1, c21);
            FloatVector a3 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 12));
            c30 = a3.fma(b0, c30);
            c31 = a3.fma(b1, c31);
            FloatVector a4 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 16));
            c40 = a4.fma(b0, c40);
            c41 = a4.fma(b1, c41);
            FloatVector a5 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 20));
            c50 = a5.fma(b0, c50);
            c51 = a5.fma(b1, c51);
            a += aStep;
            b += 2 * VECTOR_BYTES;
        }
        c00.intoMemorySegment(ALL, c, ORDER);
        c01.intoMemorySegment(ALL, c + VECTOR_BYTES, ORDER);
        c10.intoMemorySegment(ALL, c + cRowBytes, ORDER);
        c11.intoMemorySegment(ALL, c + cRowBytes + VECTOR_BYTES, ORDER);
        c20.intoMemorySegment(ALL, c + 2 * cRowBytes, ORDER);
        c21.intoMemorySegment(ALL, c + 2 * cRowBytes + VECTOR_BYTES, ORDER);
        c30.intoMemorySegment(ALL, c + 3 * cRowBytes, ORDER);
        c31.intoMemorySegment(ALL, c + 3 * cRowBytes + VECTOR_BYTES, ORDER);
        c40.intoMemorySegment(ALL, c + 4 * cRowBytes, ORDER);
        c41.intoMemorySegment(ALL, c + 4 * cRowBytes + VECTOR_BYTES, ORDER);
        c50.intoMemorySegment(ALL, c + 5 * cRowBytes, ORDER);
        c51.intoMemorySegment(ALL, c + 5 * cRowBytes + VECTOR_BYTES, ORDER);
    }

    /** 6 rows of one vector. */
    private static void columns1(long a, long aStep, long b, int k, long c, long cRowBytes) {
        FloatVector c00 = FloatVector.zero(LANES);
        FloatVector c10 = FloatVector.zero(LANES);
        FloatVector c20 = FloatVector.zero(LANES);
        FloatVector c30 = FloatVector.zero(LANES);
        FloatVector c40 = FloatVector.zero(LANES);
        FloatVector c50 = FloatVector.zero(LANES);
        for (int i = 0; i < k; i++) {
            FloatVector b0 = FloatVector.fromMemorySegment(LANES, ALL, b, ORDER);
            FloatVector a0 = FloatVector.broadcast(LANES, ALL.get(FP32, a));
            c00 = a0.fma(b0, c00);
            FloatVector a1 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 4));
            c10 = a1.fma(b0, c10);
            FloatVector a2 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 8));
            c20 = a2.fma(b0, c20);
            FloatVector a3 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 12));
            c30 = a3.fma(b0, c30);
            FloatVector a4 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 16));
            c40 = a4.fma(b0, c40);
            FloatVector a5 = FloatVector.broadcast(LANES, ALL.get(FP32, a + 20));
            c50 = a5.fma(b0, c50);
            a += aStep;
            b += VECTOR_BYTES;
        }
        c00.intoMemorySegment(ALL, c, ORDER);
        c10.intoMemorySegment(ALL, c + cRowBytes, ORDER);
        c20.intoMemorySegment(ALL, c + 2 * cRowBytes, ORDER);
        c30.intoMemorySegment(ALL, c + 3 * cRowBytes, ORDER);
        c40.intoMemorySegment(ALL, c + 4 * cRowBytes, ORDER);
        c50.intoMemorySegment(ALL, c + 5 * cRowBytes, ORDER);
    }

    private Microkernel() {}
}
