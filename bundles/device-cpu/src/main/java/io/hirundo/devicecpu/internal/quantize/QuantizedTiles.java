package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.kernel.scaled.ScaleBlock;

/** Quantizes a matrix in tiles that no block crosses and that stay in a worker's cache from their maxima to their codes. */
final class QuantizedTiles implements Task {
    private static final int EXTENT = ScaleBlock.EXTENT;

    private final ScaledOperands operands;
    private final int height;
    private final int width;
    private final int tilesOfRow;

    /** Of all tiles; or NaN where every block has its own. */
    private final float scaleOfMatrix;

    QuantizedTiles(ScaledOperands operands) {
        this(operands, Float.NaN);
    }

    /** {@code scaleOfMatrix}: of a result that has one scale. */
    QuantizedTiles(ScaledOperands operands, float scaleOfMatrix) {
        this.operands = operands;
        this.scaleOfMatrix = scaleOfMatrix;
        boolean byRows = operands.result().block() == ScaleBlock.ROW && !operands.transposed();
        this.height = byRows ? QuantizedTile.ELEMENTS / QuantizedTile.LONG_ROW : EXTENT;
        this.width = byRows ? QuantizedTile.LONG_ROW : QuantizedTile.ELEMENTS / EXTENT;
        this.tilesOfRow = Blocks.count(operands.columns(), width);
    }

    int tasks() {
        return tilesOfRow * Blocks.count(operands.rows(), height);
    }

    @Override
    public void run(int task, Scratch scratch) {
        long row = (long) (task / tilesOfRow) * height;
        long column = (long) (task % tilesOfRow) * width;
        int rows = (int) Math.min(height, operands.rows() - row);
        int columns = (int) Math.min(width, operands.columns() - column);
        new QuantizedTile(operands, row, column, rows, columns, scratch).run(scaleOfMatrix);
    }
}
