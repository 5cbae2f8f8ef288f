package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.gemm.loops.Microkernel;
import io.hirundo.devicecpu.internal.gemm.loops.PanelPacking;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;

/**
 * A block of op(a) in a task's scratch memory, packed once for each block of k. Where op(a) is stored row by row, strips
 * of {@link Microkernel#ROWS} rows are transposed, each [k, 6]; where it is stored column by column, it is copied as it
 * is, [k, rows]: large copies at a time fetch memory that is far apart at twice the speed, and the microkernel reads such
 * a block as well.
 */
final class PackedA {
    private final GemmOperands operands;
    private final int firstRow;
    private final int rows;
    private final int width;
    private final long stripBytes;
    private final long strips;
    private final long wide;

    /**
     * @param firstRow first row of op(a)
     * @param rows its rows
     * @param mostK the largest block of k
     */
    PackedA(GemmOperands operands, int firstRow, int rows, int mostK, Scratch scratch) {
        this.operands = operands;
        this.firstRow = firstRow;
        this.rows = rows;
        int wholeStrips = Blocking.roundUp(rows, Microkernel.ROWS);
        if (operands.aTransposed()) {
            width = Blocking.roundUp(wholeStrips, Microkernel.VECTOR_COLUMNS);
            stripBytes = 4L * Microkernel.ROWS;
            strips = scratch.take(4L * width * mostK);
            wide = 0;
        } else {
            width = Microkernel.ROWS;
            stripBytes = 4L * width * mostK;
            strips = scratch.take(stripBytes * wholeStrips / Microkernel.ROWS);
            wide = scratch.take(PanelPacking.wideBytes(mostK));
        }
    }

    int rows() {
        return rows;
    }

    /** Where the strip that begins at a row is; {@code row} counts from the first one and is a multiple of a strip. */
    long strip(int row) {
        return strips + row / Microkernel.ROWS * stripBytes;
    }

    /** Bytes from a column of a strip to the next. */
    long stepBytes() {
        return 4L * width;
    }

    /** Rows of that strip that exist. */
    int rowsOfStrip(int row) {
        return Math.min(Microkernel.ROWS, rows - row);
    }

    /** Packs columns {@code [firstK, firstK + k)} of op(a). */
    void pack(int firstK, int k) {
        if (operands.aTransposed()) {
            PanelPacking.panelOfRows(part(firstRow, firstK, operands.extents().m()), rows, k, strips, width);
            return;
        }
        for (int row = 0; row < rows; row += Microkernel.ROWS) {
            PanelPacking.strip(
                    part(firstRow + row, firstK, operands.extents().k()), rowsOfStrip(row), k, strip(row), wide);
        }
    }

    private PanelPacking.Part part(int row, int k, long storedColumns) {
        CpuTensor a = operands.a();
        int elementBytes = a.dtype().byteSize();
        return new PanelPacking.Part(
                a.address() + operands.aIndex(row, k) * elementBytes, storedColumns * elementBytes, a.dtype());
    }
}
