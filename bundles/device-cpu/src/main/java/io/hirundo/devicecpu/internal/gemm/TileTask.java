package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.gemm.loops.Microkernel;
import io.hirundo.devicecpu.internal.gemm.loops.ResultTile;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;

/**
 * Computes tiles of the result from a span of packed b: block by block of k a task packs its rows of op(a) and multiplies
 * them, panel by panel of b, strip by strip of a.
 */
final class TileTask implements Task {
    private static final int PANEL_BYTES = 4 * Microkernel.PANEL_COLUMNS;

    private final GemmOperands operands;
    private final Blocking blocking;
    private final PackedB packed;
    private final boolean accumulate;
    private final int rowTiles;

    /** FP32 memory for a tile: the result, or scratch memory before it is rounded. */
    private record Target(long address, long rowBytes) {
        Target atPanel(int panel) {
            return new Target(address + (long) PANEL_BYTES * panel, rowBytes);
        }
    }

    /**
     * @param accumulate whether to add to what the result holds, be it of before the GEMM or of an earlier span
     */
    TileTask(GemmOperands operands, Blocking blocking, PackedB packed, boolean accumulate) {
        this.operands = operands;
        this.blocking = blocking;
        this.packed = packed;
        this.accumulate = accumulate;
        this.rowTiles =
                Blocking.divideUp(operands.extents().m(), blocking.tile().rows());
    }

    int tasks() {
        return rowTiles * Blocking.divideUp(packed.columns(), blocking.tile().columns());
    }

    @Override
    public void run(int task, Scratch scratch) {
        int row = task % rowTiles * blocking.tile().rows();
        int column = task / rowTiles * blocking.tile().columns();
        int rows = Math.min(blocking.tile().rows(), operands.extents().m() - row);
        int columns = Math.min(blocking.tile().columns(), packed.columns() - column);
        CpuTensor c = operands.c();
        long n = operands.extents().n();
        long address = c.address()
                + (row * n + packed.columnFirst() + column) * c.dtype().byteSize();
        long rowBytes = n * c.dtype().byteSize();
        PackedA a = new PackedA(operands, row, rows, blocking.kBlock(), scratch);
        long sums = scratch.take((long) PANEL_BYTES * Microkernel.ROWS);
        if (operands.isNarrow()) {
            long wideRowBytes = 4L * Blocking.roundUp(columns, Microkernel.PANEL_COLUMNS);
            Target wide = new Target(scratch.take(wideRowBytes * rows), wideRowBytes);
            multiply(a, column, columns, sums, wide, false);
            ResultTile.narrow(wide.address(), wideRowBytes, address, rowBytes, rows, columns, accumulate);
        } else {
            multiply(a, column, columns, sums, new Target(address, rowBytes), accumulate);
        }
    }

    /**
     * @param sums scratch memory for a strip times a panel
     */
    private void multiply(PackedA a, int column, int columns, long sums, Target target, boolean add) {
        int firstPanel = column / Microkernel.PANEL_COLUMNS;
        int panels = Blocking.divideUp(columns, Microkernel.PANEL_COLUMNS);
        for (int k = 0; k < packed.k(); k += blocking.kBlock()) {
            int depth = Math.min(blocking.kBlock(), packed.k() - k);
            a.pack(packed.kFirst() + k, depth);
            for (int panel = 0; panel < panels; panel++) {
                multiplyPanel(a, firstPanel + panel, k, depth, sums, target.atPanel(panel), add || k > 0);
            }
        }
    }

    private void multiplyPanel(PackedA a, int panel, int k, int depth, long sums, Target target, boolean add) {
        long b = packed.addressOf(panel, k);
        int width = packed.widthOf(panel);
        int columns = packed.columnsOf(panel);
        for (int row = 0; row < a.rows(); row += Microkernel.ROWS) {
            int rows = a.rowsOfStrip(row);
            long result = target.address() + row * target.rowBytes();
            if (!add && rows == Microkernel.ROWS && columns == width) {
                Microkernel.multiply(a.strip(row), a.stepBytes(), b, width, depth, result, target.rowBytes());
            } else {
                Microkernel.multiply(a.strip(row), a.stepBytes(), b, width, depth, sums, PANEL_BYTES);
                ResultTile.merge(sums, PANEL_BYTES, result, target.rowBytes(), rows, columns, add);
            }
        }
    }
}
