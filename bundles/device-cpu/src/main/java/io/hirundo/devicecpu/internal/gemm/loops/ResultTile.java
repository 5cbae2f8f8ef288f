package io.hirundo.devicecpu.internal.gemm.loops;

import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.LANES;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.VECTOR_COLUMNS;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/** Brings what the microkernel has written into the result. */
public final class ResultTile {
    /**
     * Adds FP32 sums to an FP32 result, or overwrites it.
     *
     * @param sumsRowBytes from a row of the sums to the next; whole vectors
     */
    public static void merge(
            long sums, long sumsRowBytes, long result, long resultRowBytes, int rows, int columns, boolean add) {
        for (int column = 0; column < columns; column += VECTOR_COLUMNS) {
            VectorMask<Float> mask = LANES.indexInRange(column, columns);
            for (int row = 0; row < rows; row++) {
                long to = result + row * resultRowBytes + 4L * column;
                FloatVector sum =
                        FloatVector.fromMemorySegment(LANES, ALL, sums + row * sumsRowBytes + 4L * column, ORDER);
                if (add) {
                    sum = FloatVector.fromMemorySegment(LANES, ALL, to, ORDER, mask)
                            .add(sum);
                }
                sum.intoMemorySegment(ALL, to, ORDER, mask);
            }
        }
    }

    /** As {@link #merge} into a BF16 result, rounding once; rows of sums need not be whole vectors. */
    public static void narrow(
            long sums, long sumsRowBytes, long result, long resultRowBytes, int rows, int columns, boolean add) {
        for (int column = 0; column < columns; column += VECTOR_COLUMNS) {
            VectorMask<Float> mask = LANES.indexInRange(column, columns);
            for (int row = 0; row < rows; row++) {
                long to = result + row * resultRowBytes + 2L * column;
                FloatVector sum =
                        FloatVector.fromMemorySegment(LANES, ALL, sums + row * sumsRowBytes + 4L * column, ORDER, mask);
                Bf16Vectors.store(add ? Bf16Vectors.load(to, mask).add(sum) : sum, to, mask);
            }
        }
    }

    private ResultTile() {}
}
