package io.hirundo.lib.oracle.gemm;

/** A matrix whose elements are read row by row, as doubles. */
public interface MatrixRows {
  long rows();

  int columns();

  /**
   * Reads elements {@code [first, first + count)} of a row; rows in ascending order are the fastest.
   *
   * @param into receives them from its beginning
   */
  void read(long row, int first, int count, double[] into);
}
