package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.gemm.loops.Microkernel;
import io.hirundo.devicecpu.internal.gemm.loops.PanelPacking;
import io.hirundo.devicecpu.internal.gemm.loops.ResultTile;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;

/**
 * The GEMM {@code c = (accumulate ? c : 0) + a b^T} of at most {@link Microkernel#ROWS} rows of a: text generation multiplies one
 * token at a time with each weight. An element of b then serves only these rows, so packing all of b through memory first would cost
 * more than the GEMM: a task packs one panel at a time into its core's cache and multiplies it there. Blocks of k, and the order
 * within and between them, are those of {@link TileTask}, so every element is bitwise the same.
 */
final class FewRows implements Task {
    private static final int PANEL_BYTES = 4 * Microkernel.PANEL_COLUMNS;

    /** Elements of b per task: some ten microseconds of work, several times the cost of waking a worker. */
    private static final int TASK_ELEMENTS = 1 << 15;

    /** Bounds a task's scratch memory where K is small. */
    private static final int MOST_TASK_COLUMNS = 4096;

    private final GemmOperands operands;
    private final int kBlock;
    private final boolean accumulate;
    private final int taskColumns;

    /**
     * @param kBlock of {@link Blocking}
     * @param accumulate whether to add to what the result holds
     */
    FewRows(GemmOperands operands, int kBlock, boolean accumulate) {
        this.operands = operands;
        this.kBlock = kBlock;
        this.accumulate = accumulate;
        int columns = Blocking.divideUp(TASK_ELEMENTS, operands.extents().k());
        this.taskColumns = Blocking.roundUp(Math.min(columns, MOST_TASK_COLUMNS), Microkernel.PANEL_COLUMNS);
    }

    static boolean serves(GemmOperands operands) {
        return operands.extents().m() <= Microkernel.ROWS && !operands.aTransposed() && operands.bTransposed();
    }

    int tasks() {
        return Blocking.divideUp(operands.extents().n(), taskColumns);
    }

    /** FP32 memory for the task's columns: the result, or scratch memory before it is rounded. */
    private record Target(long address, long rowBytes) {}

    @Override
    public void run(int task, Scratch scratch) {
        int first = task * taskColumns;
        int columns = Math.min(taskColumns, operands.extents().n() - first);
        int rows = operands.extents().m();
        CpuTensor c = operands.c();
        long result = c.address() + (long) first * c.dtype().byteSize();
        long rowBytes = (long) operands.extents().n() * c.dtype().byteSize();
        if (operands.isNarrow()) {
            long wideRowBytes = 4L * Blocking.roundUp(columns, Microkernel.PANEL_COLUMNS);
            long wide = scratch.take(wideRowBytes * rows);
            multiply(first, columns, new Target(wide, wideRowBytes), false, scratch);
            ResultTile.narrow(wide, wideRowBytes, result, rowBytes, rows, columns, accumulate);
        } else {
            multiply(first, columns, new Target(result, rowBytes), accumulate, scratch);
        }
    }

    private void multiply(int first, int columns, Target target, boolean add, Scratch scratch) {
        int k = operands.extents().k();
        PackedA a = new PackedA(operands, 0, operands.extents().m(), kBlock, scratch);
        long panel = scratch.take((long) PANEL_BYTES * kBlock);
        long wide = scratch.take(PanelPacking.wideBytes(kBlock));
        long sums = scratch.take((long) PANEL_BYTES * Microkernel.ROWS);
        for (int from = 0; from < k; from += kBlock) {
            int depth = Math.min(kBlock, k - from);
            a.pack(from, depth);
            for (int column = 0; column < columns; column += Microkernel.PANEL_COLUMNS) {
                int count = Math.min(Microkernel.PANEL_COLUMNS, columns - column);
                int width = PackedB.width(count);
                PanelPacking.panel(part(first + column, from), count, depth, panel, width, wide);
                Microkernel.multiply(a.strip(0), a.stepBytes(), panel, width, depth, sums, PANEL_BYTES);
                ResultTile.merge(
                        sums,
                        PANEL_BYTES,
                        target.address + 4L * column,
                        target.rowBytes,
                        a.rows(),
                        count,
                        add || from > 0);
            }
        }
    }

    private PanelPacking.Part part(int column, int k) {
        CpuTensor b = operands.b();
        int elementBytes = b.dtype().byteSize();
        return new PanelPacking.Part(
                b.address() + operands.bIndex(k, column) * elementBytes,
                (long) operands.extents().k() * elementBytes,
                b.dtype());
    }
}
