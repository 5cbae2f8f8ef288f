package io.hirundo.lib.oracle.gemm;

import io.hirundo.lib.oracle.Tiles;

/** The result of a product, summed over each of its tiles. */
public final class ResultSums {
    private final long rows;
    private final int columns;
    private final int tileColumns;
    private final double[] sums;
    private final double[] squares;

    private ResultSums(long rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        this.tileColumns = Tiles.count(columns);
        int tiles = Math.multiplyExact(Tiles.count(rows), tileColumns);
        this.sums = new double[tiles];
        this.squares = new double[tiles];
    }

    public static ResultSums of(MatrixRows result) {
        var summed = new ResultSums(result.rows(), result.columns());
        double[] row = new double[result.columns()];
        double[] weights = Weights.all(Weights::ofColumn, row.length);
        for (long index = 0; index < result.rows(); index++) {
            result.read(index, 0, row.length, row);
            summed.add(index, weights, row);
        }
        return summed;
    }

    private void add(long index, double[] weights, double[] row) {
        int tile = Tiles.of(index) * tileColumns;
        double weight = Weights.ofRow(index);
        for (int from = 0; from < row.length; tile++, from += Tiles.EXTENT) {
            int to = Math.min(from + Tiles.EXTENT, row.length);
            sums[tile] += weight * Dot.of(weights, row, from, to);
            squares[tile] += Dot.of(row, row, from, to);
        }
    }

    long rows() {
        return rows;
    }

    int columns() {
        return columns;
    }

    /** Weighted. */
    double sum(int tileRow, int tileColumn) {
        return sums[tileRow * tileColumns + tileColumn];
    }

    double norm(int tileRow, int tileColumn) {
        return Math.sqrt(squares[tileRow * tileColumns + tileColumn]);
    }
}
