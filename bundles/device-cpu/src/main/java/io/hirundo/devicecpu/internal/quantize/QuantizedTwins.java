package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.quantize.ScaledOperands.Scaled;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.kernel.scaled.ScaleBlock;

/**
 * Quantizes a matrix and its transpose in tiles that no block crosses. A tile is read once from memory, and for the transpose
 * from a worker's cache. Squares have the same scales and codes in both, which are not found twice.
 */
final class QuantizedTwins implements Task {
    private static final int EXTENT = ScaleBlock.EXTENT;
    private static final int WIDTH = QuantizedTile.ELEMENTS / EXTENT;

    private final ScaledOperands straight;
    private final ScaledOperands transposed;
    private final boolean sameCodes;
    private final int tilesOfRow;

    /** Of the same matrix. */
    QuantizedTwins(ScaledOperands straight, ScaledOperands transposed) {
        this.straight = straight;
        this.transposed = transposed;
        Scaled rows = straight.result();
        Scaled columns = transposed.result();
        this.sameCodes = rows.block() == ScaleBlock.SQUARE
                && columns.block() == ScaleBlock.SQUARE
                && rows.format() == columns.format();
        this.tilesOfRow = Blocks.count(straight.columns(), WIDTH);
    }

    int tasks() {
        return tilesOfRow * Blocks.count(straight.rows(), EXTENT);
    }

    @Override
    public void run(int task, Scratch scratch) {
        long row = (long) (task / tilesOfRow) * EXTENT;
        long column = (long) (task % tilesOfRow) * WIDTH;
        int rows = (int) Math.min(EXTENT, straight.rows() - row);
        int columns = (int) Math.min(WIDTH, straight.columns() - column);
        new QuantizedTile(straight, row, column, rows, columns, scratch).run(Float.NaN);
        if (sameCodes) {
            transpose(row, column, rows, columns, scratch);
        } else {
            new QuantizedTile(transposed, row, column, rows, columns, scratch).run(Float.NaN);
        }
    }

    private void transpose(long row, long column, int rows, int columns, Scratch scratch) {
        Scaled from = straight.result();
        Scaled to = transposed.result();
        long fours = scratch.take(QuantizedTransposition.FOURS_BYTES);
        for (long c = column; c < column + columns; c += EXTENT) {
            Memory.setFloat(to.scaleAddress(c, row), Memory.getFloat(from.scaleAddress(row, c)));
            int width = (int) Math.min(EXTENT, column + columns - c);
            QuantizedTransposition.tile(
                    from.codeAddress(row, c), from.columns(), rows, width, to.codeAddress(c, row), to.columns(), fours);
        }
    }
}
