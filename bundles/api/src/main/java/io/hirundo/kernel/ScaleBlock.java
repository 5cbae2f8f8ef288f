package io.hirundo.kernel;

import io.hirundo.tensor.Shape;

/**
 * Which elements of an 8-bit matrix share a scale. Blocks begin at the first element; the last ones of a row or column may be
 * smaller. The layouts of the scales are those that Hopper's matrix products read.
 */
public enum ScaleBlock {
  /** 128 in a row: scales [blocks of a row, rows, rounded up to 4]. For activations and gradients. */
  ROW,
  /** 128 rows of 128: scales [blocks of a column, blocks of a row, rounded up to 4]. For weights. */
  SQUARE,
  /** All of a matrix: one scale. What {@link MatrixScaledKernels} make. */
  MATRIX;

  /** Elements of a block in a row, and in a column of a square. */
  public static final int EXTENT = 128;

  private static final int PADDING = 4;

  /** Extents of the scales of a matrix. What is there for padding alone has no value. */
  public Shape scales(long rows, long columns) {
    return switch (this) {
      case ROW -> Shape.of(blocks(columns), padded(rows));
      case SQUARE -> Shape.of(blocks(rows), padded(blocks(columns)));
      case MATRIX -> Shape.of(1);
    };
  }

  /** Index, among the scales of a matrix of these extents, of the one for an element. */
  public long scaleIndex(long rows, long columns, long row, long column) {
    return switch (this) {
      case ROW -> column / EXTENT * padded(rows) + row;
      case SQUARE -> row / EXTENT * padded(blocks(columns)) + column / EXTENT;
      case MATRIX -> 0;
    };
  }

  private static long blocks(long extent) {
    return (extent + EXTENT - 1) / EXTENT;
  }

  private static long padded(long extent) {
    return (extent + PADDING - 1) / PADDING * PADDING;
  }
}
