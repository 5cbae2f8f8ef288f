package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.gemm.loops.Microkernel;
import io.hirundo.devicecpu.internal.gemm.loops.PanelPacking;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;

/**
 * A span of op(b), packed once for all tasks: panels of {@link Microkernel#PANEL_COLUMNS} columns, one after the other,
 * each [k, columns]; the last one as narrow as the columns that are left allow.
 *
 * @param address where it lies
 * @param kFirst first row of op(b)
 * @param k rows
 * @param columnFirst first column of op(b)
 * @param columns its columns
 */
record PackedB(long address, int kFirst, int k, int columnFirst, int columns) {
    int panels() {
        return Blocking.divideUp(columns, Microkernel.PANEL_COLUMNS);
    }

    /** Columns of a panel that exist. */
    int columnsOf(int panel) {
        return Math.min(Microkernel.PANEL_COLUMNS, columns - panel * Microkernel.PANEL_COLUMNS);
    }

    /** Columns of a panel as it is packed: one, two or four vectors. */
    int widthOf(int panel) {
        return width(columnsOf(panel));
    }

    /** Columns of a packed panel for so many that exist. */
    static int width(int columns) {
        int vectors = Blocking.divideUp(columns, Microkernel.VECTOR_COLUMNS);
        return (vectors == 3 ? 4 : vectors) * Microkernel.VECTOR_COLUMNS;
    }

    /** Where a panel holds row {@code kFirst + row}. */
    long addressOf(int panel, int row) {
        return address + 4L * k * Microkernel.PANEL_COLUMNS * panel + 4L * row * widthOf(panel);
    }

    /** Packs {@code rows} rows of a panel, from row {@code kFirst + row} on. */
    void pack(GemmOperands operands, int panel, int row, int rows, Scratch scratch) {
        CpuTensor b = operands.b();
        int column = columnFirst + panel * Microkernel.PANEL_COLUMNS;
        long start =
                b.address() + operands.bIndex(kFirst + row, column) * b.dtype().byteSize();
        long stored = operands.bTransposed()
                ? operands.extents().k()
                : operands.extents().n();
        var part = new PanelPacking.Part(start, stored * b.dtype().byteSize(), b.dtype());
        if (operands.bTransposed()) {
            long wide = scratch.take(PanelPacking.wideBytes(rows));
            PanelPacking.panel(part, columnsOf(panel), rows, addressOf(panel, row), widthOf(panel), wide);
        } else {
            PanelPacking.panelOfRows(part, columnsOf(panel), rows, addressOf(panel, row), widthOf(panel));
        }
    }
}
