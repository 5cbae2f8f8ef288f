package io.hirundo.devicecpu.internal.gemm;

import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.PANEL_COLUMNS;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.ROWS;

import io.hirundo.devicecpu.internal.gemm.loops.Microkernel;
import io.hirundo.devicecpu.internal.gemm.loops.PanelPacking;
import io.hirundo.devicecpu.internal.gemm.loops.ResultTile;
import io.hirundo.devicecpu.internal.gemm.loops.ScaledSums;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.tensor.DType;

/**
 * GEMM of two quantized FP8 matrices, tile by tile of the result, in FP32: block by block of k a task unpacks both
 * operands and lets the {@link Microkernel} sum them without scales, in the order of k; then it adds the sums, scaled, to its
 * tile. The result depends on nothing but the operands.
 */
public final class ScaledGemm implements Task {
    private static final int EXTENT = ScaleBlock.EXTENT;

    /** So many that what a task unpacks is used often, so few that it stays in the L2 cache. */
    private static final int TILE_ROWS = 32 * ROWS;

    private static final int TILE_COLUMNS = 256;
    private static final long STRIP_BYTES = 4L * ROWS * EXTENT;
    private static final long PANEL_BYTES = 4L * PANEL_COLUMNS * EXTENT;
    private static final long SUMS_ROW_BYTES = 4L * PANEL_COLUMNS;
    private static final long TILE_ROW_BYTES = 4L * TILE_COLUMNS;

    private final ScaledRows a;
    private final ScaledRows b;
    private final CpuTensor c;
    private final boolean accumulate;
    private final int m;
    private final int n;
    private final int k;
    private final int rowTiles;

    /** Memory of a task. */
    private record Room(long tile, long strips, long panels, long unpacked, long sums, long columnScales) {
        static Room of(Scratch scratch) {
            return new Room(
                    scratch.take(TILE_ROW_BYTES * TILE_ROWS),
                    scratch.take(STRIP_BYTES * (TILE_ROWS / ROWS)),
                    scratch.take(PANEL_BYTES * (TILE_COLUMNS / PANEL_COLUMNS)),
                    scratch.take(PANEL_BYTES),
                    scratch.take(SUMS_ROW_BYTES * ROWS),
                    scratch.take(TILE_ROW_BYTES));
        }
    }

    /** The operands have been checked. */
    public ScaledGemm(ScaledRows aMK, ScaledRows bNK, CpuTensor cMN, boolean accumulate) {
        this.a = aMK;
        this.b = bNK;
        this.c = cMN;
        this.accumulate = accumulate;
        this.m = a.rows();
        this.n = b.rows();
        this.k = a.columns();
        this.rowTiles = Blocking.divideUp(m, TILE_ROWS);
    }

    public int tasks() {
        return rowTiles * Blocking.divideUp(n, TILE_COLUMNS);
    }

    @Override
    public void run(int task, Scratch scratch) {
        int row = task % rowTiles * TILE_ROWS;
        int column = task / rowTiles * TILE_COLUMNS;
        int rows = Math.min(TILE_ROWS, m - row);
        int columns = Math.min(TILE_COLUMNS, n - column);
        Room room = Room.of(scratch);
        Memory.zero(room.tile, TILE_ROW_BYTES * rows);
        for (int first = 0; first < k; first += EXTENT) {
            int depth = Math.min(EXTENT, k - first);
            packRows(row, rows, first, depth, room);
            packColumns(column, columns, first, depth, room);
            for (int panel = 0; panel < columns; panel += PANEL_COLUMNS) {
                for (int strip = 0; strip < rows; strip += ROWS) {
                    Microkernel.multiply(
                            room.strips + strip / ROWS * STRIP_BYTES,
                            4L * ROWS,
                            room.panels + panel / PANEL_COLUMNS * PANEL_BYTES,
                            PANEL_COLUMNS,
                            depth,
                            room.sums,
                            SUMS_ROW_BYTES);
                    addScaled(room, strip, Math.min(ROWS, rows - strip), panel, a.scaleAddress(row + strip, first));
                }
            }
        }
        long address = c.address() + ((long) row * n + column) * c.dtype().byteSize();
        long rowBytes = (long) n * c.dtype().byteSize();
        if (c.dtype() == DType.BF16) {
            ResultTile.narrow(room.tile, TILE_ROW_BYTES, address, rowBytes, rows, columns, accumulate);
        } else {
            ResultTile.merge(room.tile, TILE_ROW_BYTES, address, rowBytes, rows, columns, accumulate);
        }
    }

    private void packRows(int row, int rows, int first, int depth, Room room) {
        for (int strip = 0; strip < rows; strip += ROWS) {
            int count = Math.min(ROWS, rows - strip);
            a.decode(row + strip, count, first, depth, room.unpacked);
            PanelPacking.strip(unpacked(room), count, depth, room.strips + strip / ROWS * STRIP_BYTES, 0);
        }
    }

    private static PanelPacking.Part unpacked(Room room) {
        return new PanelPacking.Part(room.unpacked, 4L * EXTENT, DType.FP32);
    }

    private void packColumns(int column, int columns, int first, int depth, Room room) {
        for (int panel = 0; panel < columns; panel += PANEL_COLUMNS) {
            int count = Math.min(PANEL_COLUMNS, columns - panel);
            b.decode(column + panel, count, first, depth, room.unpacked);
            PanelPacking.panel(
                    unpacked(room), count, depth, room.panels + panel / PANEL_COLUMNS * PANEL_BYTES, PANEL_COLUMNS, 0);
        }
        for (int i = 0; i < columns; i++) {
            Memory.setFloat(room.columnScales + 4L * i, Memory.getFloat(b.scaleAddress(column + i, first)));
        }
    }

    /**
     * {@code tile = fma(sums rowScale, columnScale, tile)} for a strip and a panel.
     *
     * @param rowScales of the strip's first row
     */
    private void addScaled(Room room, int strip, int rows, int panel, long rowScales) {
        ScaledSums.add(
                room.sums,
                SUMS_ROW_BYTES,
                rows,
                PANEL_COLUMNS,
                rowScales,
                a.scaleStride(),
                room.columnScales + 4L * panel,
                room.tile + strip * TILE_ROW_BYTES + 4L * panel,
                TILE_ROW_BYTES);
    }
}
