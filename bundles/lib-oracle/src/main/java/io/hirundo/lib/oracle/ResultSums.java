package io.hirundo.lib.oracle;

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
    for (long index = 0; index < result.rows(); index++) {
      result.read(index, 0, row.length, row);
      summed.add(index, row);
    }
    return summed;
  }

  private void add(long index, double[] row) {
    int firstTile = Tiles.of(index) * tileColumns;
    double weight = Weights.ofRow(index);
    for (int column = 0; column < row.length; column++) {
      int tile = firstTile + Tiles.of(column);
      sums[tile] += weight * Weights.ofColumn(column) * row[column];
      squares[tile] += row[column] * row[column];
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
