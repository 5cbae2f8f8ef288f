package io.hirundo.devicecpu.internal.gemm.loops;

import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.LANES;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.VECTOR_COLUMNS;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;

/**
 * Copies parts of a matrix into the order in which the microkernel reads them: FP32 panels [k, width]. Where the matrix
 * ends before the panel, the rest of the panel is undefined: nothing that the microkernel sums there is used. The matrix
 * is stored either way: k along its columns (then it is transposed) or along its rows. BF16 is widened.
 */
public final class PanelPacking {
    /** Rows that are transposed together into a panel of b. */
    private static final int FOUR = 4;

    /**
     * Part of a stored matrix.
     *
     * @param address of its first element
     * @param rowBytes from a row to the next
     */
    public record Part(long address, long rowBytes, DType dtype) {
        Part rowsFrom(int row) {
            return new Part(address + row * rowBytes, rowBytes, dtype);
        }
    }

    /** Scratch memory that {@link #strip} and {@link #panel} need for {@code k} columns. */
    public static long wideBytes(int k) {
        return Microkernel.ROWS * wideRowBytes(k);
    }

    private static long wideRowBytes(int k) {
        return 4L * Lanes.padded(k);
    }

    /**
     * {@code strip[i, r] = part[r, i]}, 6 wide, for {@code count} rows r and {@code k} columns i.
     *
     * @param wide {@link #wideBytes} of scratch memory
     */
    public static void strip(Part part, int count, int k, long strip, long wide) {
        Part rows = widened(part, count, k, wide);
        int done = 0;
        if (count == Microkernel.ROWS) {
            done = LANES.loopBound(k);
            Transposition.sixRows(rows.address(), rows.rowBytes(), done, strip);
        }
        transposeRest(rows, count, done, k, strip, Microkernel.ROWS);
    }

    /**
     * {@code panel[i, r] = part[r, i]} for {@code count} rows r and {@code k} columns i.
     *
     * @param width a multiple of a vector
     * @param wide {@link #wideBytes} of scratch memory
     */
    public static void panel(Part part, int count, int k, long panel, int width, long wide) {
        for (int row = 0; row < count; row += FOUR) {
            int rows = Math.min(FOUR, count - row);
            Part four = widened(part.rowsFrom(row), rows, k, wide);
            long to = panel + 4L * row;
            int done = 0;
            if (rows == FOUR) {
                done = LANES.loopBound(k);
                Transposition.fourRows(four.address(), four.rowBytes(), done, to, 4L * width);
            }
            transposeRest(four, rows, done, k, to, width);
        }
    }

    /** The columns that do not fill a vector, and rows that are too few. */
    private static void transposeRest(Part rows, int count, int first, int k, long to, int width) {
        for (int i = first; i < k; i++) {
            for (int r = 0; r < count; r++) {
                Memory.setFloat(
                        to + 4L * (i * (long) width + r),
                        Memory.getFloat(rows.address() + r * rows.rowBytes() + 4L * i));
            }
        }
    }

    /** The rows in FP32: themselves, or a copy. */
    private static Part widened(Part part, int rows, int k, long wide) {
        if (part.dtype() != DType.BF16) {
            return part;
        }
        long wideRowBytes = wideRowBytes(k);
        for (int row = 0; row < rows; row++) {
            widenRow(part.address() + row * part.rowBytes(), k, wide + row * wideRowBytes);
        }
        return new Part(wide, wideRowBytes, DType.FP32);
    }

    /** Writes whole vectors. */
    private static void widenRow(long from, int count, long to) {
        int whole = LANES.loopBound(count);
        for (int i = 0; i < whole; i += VECTOR_COLUMNS) {
            Bf16Vectors.load(from + 2L * i).intoMemorySegment(ALL, to + 4L * i, ORDER);
        }
        if (whole < count) {
            Bf16Vectors.load(from + 2L * whole, LANES.indexInRange(whole, count))
                    .intoMemorySegment(ALL, to + 4L * whole, ORDER);
        }
    }

    /**
     * {@code panel[i, c] = part[i, c]} for {@code k} rows i and {@code count} columns c.
     *
     * @param width at least count; a multiple of a vector
     */
    public static void panelOfRows(Part part, int count, int k, long panel, int width) {
        for (int i = 0; i < k; i++) {
            long from = part.address() + i * part.rowBytes();
            long to = panel + 4L * i * width;
            if (part.dtype() == DType.BF16) {
                widenRow(from, count, to);
            } else {
                MemorySegment.copy(ALL, from, ALL, to, 4L * count);
            }
        }
    }

    private PanelPacking() {}
}
