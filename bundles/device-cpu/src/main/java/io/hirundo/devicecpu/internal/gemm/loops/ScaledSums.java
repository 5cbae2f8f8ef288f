package io.hirundo.devicecpu.internal.gemm.loops;

import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.LANES;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.VECTOR_COLUMNS;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;

import io.hirundo.devicecpu.internal.memory.Memory;
import jdk.incubator.vector.FloatVector;

/** Adds the unscaled sums of a block of k to a tile of the result. */
public final class ScaledSums {
    private ScaledSums() {}

    /**
     * {@code tile = fma(sums rowScale, columnScale, tile)}, in FP32. Whole vectors of all rows are read and written.
     *
     * @param rowScales address of the first row's inverse scale
     * @param rowScaleBytes from a row's inverse scale to the next, 0 if all rows have one
     * @param columnScales address of an inverse scale for every column
     */
    public static void add(
            long sums,
            long sumsRowBytes,
            int rows,
            int columns,
            long rowScales,
            long rowScaleBytes,
            long columnScales,
            long tile,
            long tileRowBytes) {
        for (int row = 0; row < rows; row++) {
            FloatVector rowScale = FloatVector.broadcast(LANES, Memory.getFloat(rowScales + rowScaleBytes * row));
            long from = sums + row * sumsRowBytes;
            long to = tile + row * tileRowBytes;
            for (int column = 0; column < columns; column += VECTOR_COLUMNS) {
                FloatVector sum = FloatVector.fromMemorySegment(LANES, ALL, from + 4L * column, ORDER)
                        .mul(rowScale);
                FloatVector columnScale = FloatVector.fromMemorySegment(LANES, ALL, columnScales + 4L * column, ORDER);
                FloatVector old = FloatVector.fromMemorySegment(LANES, ALL, to + 4L * column, ORDER);
                sum.fma(columnScale, old).intoMemorySegment(ALL, to + 4L * column, ORDER);
            }
        }
    }
}
