package io.hirundo.testkit.bench;

import java.util.function.IntBinaryOperator;

/** Row-major host matrices: expected products and their errors. */
public final class Matrices {
  private Matrices() {}

  /** {@code c = start + a b}, with operands read by (row, column). */
  public static double[] product(
      double[] start, double[] a, IntBinaryOperator aAt, double[] b, IntBinaryOperator bAt, int rows, int inner, int columns) {
    var c = new double[rows * columns];
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        double sum = start == null ? 0 : start[row * columns + column];
        for (int k = 0; k < inner; k++) {
          sum += a[aAt.applyAsInt(row, k)] * b[bAt.applyAsInt(k, column)];
        }
        c[row * columns + column] = sum;
      }
    }
    return c;
  }

  /** Index of an element of a stored matrix with so many columns. */
  public static IntBinaryOperator rowMajor(int columns) {
    return (row, column) -> row * columns + column;
  }

  /** The same for a stored matrix with so many columns that is read transposed. */
  public static IntBinaryOperator transposed(int columns) {
    return (row, column) -> column * columns + row;
  }

  /**
   * Checks the norm of the error of the matrix, and of every row and column, so that one wrong row is visible in a large matrix.
   *
   * @param tolerance relative; three times as much for a row or a column
   */
  public static void requireClose(String what, double[] expected, double[] actual, int columns, double tolerance) {
    int rows = expected.length / columns;
    double typical = Math.sqrt(squares(expected, 0, 1, expected.length) / expected.length);
    double whole = Math.sqrt(squaredError(expected, actual, 0, 1, expected.length));
    require(what, whole, tolerance * typical * Math.sqrt(expected.length));
    for (int row = 0; row < rows; row++) {
      double norm = Math.max(Math.sqrt(squares(expected, row * columns, 1, columns)), typical * Math.sqrt(columns));
      double error = Math.sqrt(squaredError(expected, actual, row * columns, 1, columns));
      require("row " + row + " of " + what, error, 3 * tolerance * norm);
    }
    for (int column = 0; column < columns; column++) {
      double norm = Math.max(Math.sqrt(squares(expected, column, columns, rows)), typical * Math.sqrt(rows));
      double error = Math.sqrt(squaredError(expected, actual, column, columns, rows));
      require("column " + column + " of " + what, error, 3 * tolerance * norm);
    }
  }

  private static void require(String what, double error, double allowed) {
    if (!(error <= allowed)) {
      throw new AssertionError(
          String.format("%s: the norm of its error is %.3g, allowed is %.3g", what, error, allowed));
    }
  }

  private static double squares(double[] x, int first, int stride, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += x[first + i * stride] * x[first + i * stride];
    }
    return sum;
  }

  private static double squaredError(double[] x, double[] y, int first, int stride, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      double error = x[first + i * stride] - y[first + i * stride];
      sum += error * error;
    }
    return sum;
  }
}
