package io.hirundo.lib.oracle.gemm;

import io.hirundo.lib.oracle.Tiles;
import java.util.function.LongToDoubleFunction;

/** An operand of a product, summed over the rows or columns of each tile of the result that it reaches. */
public final class OperandSums {
    /** For each tile: for each summand of the product the weighted sum over the tile's rows, or columns. */
    private final double[][] sums;
    /** For each tile: sum of the squares of the operand's elements. */
    private final double[] squares;

    private final long extent;

    private OperandSums(long extent, int summands) {
        this.extent = extent;
        int tiles = Tiles.count(extent);
        this.sums = new double[tiles][summands];
        this.squares = new double[tiles];
    }

    /**
     * Of the operand that has the rows of the result.
     *
     * @param contractedLast whether the product sums over the operand's columns
     */
    public static OperandSums left(MatrixRows operand, boolean contractedLast) {
        return of(operand, contractedLast, Weights::ofRow);
    }

    /** Of the operand that has the columns of the result. */
    public static OperandSums right(MatrixRows operand, boolean contractedLast) {
        return of(operand, contractedLast, Weights::ofColumn);
    }

    private static OperandSums of(MatrixRows operand, boolean contractedLast, LongToDoubleFunction weights) {
        var result = contractedLast
                ? new OperandSums(operand.rows(), operand.columns())
                : new OperandSums(operand.columns(), Math.toIntExact(operand.rows()));
        double[] row = new double[operand.columns()];
        double[] ofColumns = contractedLast ? null : Weights.all(weights, row.length);
        for (long index = 0; index < operand.rows(); index++) {
            operand.read(index, 0, row.length, row);
            if (contractedLast) {
                result.addRow(Tiles.of(index), weights.applyAsDouble(index), row);
            } else {
                result.addSummand((int) index, ofColumns, row);
            }
        }
        return result;
    }

    private void addRow(int tile, double weight, double[] row) {
        double[] sum = sums[tile];
        for (int k = 0; k < row.length; k++) {
            sum[k] += weight * row[k];
        }
        squares[tile] += Dot.of(row, row, 0, row.length);
    }

    private void addSummand(int k, double[] weights, double[] row) {
        for (int tile = 0, from = 0; from < row.length; tile++, from += Tiles.EXTENT) {
            int to = Math.min(from + Tiles.EXTENT, row.length);
            sums[tile][k] = Dot.of(weights, row, from, to);
            squares[tile] += Dot.of(row, row, from, to);
        }
    }

    long extent() {
        return extent;
    }

    int summands() {
        return sums.length == 0 ? 0 : sums[0].length;
    }

    /** What the weighted sum over a tile of the result must be. */
    double product(int tile, OperandSums right, int rightTile) {
        return Dot.of(sums[tile], right.sums[rightTile], 0, sums[tile].length);
    }

    /** Square root of the sum of the squares of a tile's elements. */
    double norm(int tile) {
        return Math.sqrt(squares[tile]);
    }
}
