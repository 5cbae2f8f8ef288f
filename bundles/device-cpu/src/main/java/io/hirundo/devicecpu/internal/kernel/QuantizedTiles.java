package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Bf16;
import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.devicecpu.internal.Scratch;
import io.hirundo.devicecpu.internal.Task;
import io.hirundo.devicecpu.internal.kernel.ScaledOperands.Scaled;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaleRule;
import io.hirundo.tensor.DType;

/** Quantizes a matrix in tiles of {@link ScaleBlock#EXTENT} rows and columns, which no block crosses. */
final class QuantizedTiles implements Task {
  private static final int EXTENT = ScaleBlock.EXTENT;
  private static final int FOUR = 4;

  private final ScaledOperands operands;
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
    this.tilesOfRow = Blocks.count(operands.columns(), EXTENT);
  }

  int tasks() {
    return tilesOfRow * Blocks.count(operands.rows(), EXTENT);
  }

  /**
   * A tile of x, widened.
   *
   * @param values its first element
   * @param rowBytes from a row to the next
   */
  private record Tile(int row, int column, int rows, int columns, long values, long rowBytes) {
    long valuesOf(int r) {
      return values + r * rowBytes;
    }
  }

  @Override
  public void run(int task, Scratch scratch) {
    int row = task / tilesOfRow * EXTENT;
    int column = task % tilesOfRow * EXTENT;
    int rows = (int) Math.min(EXTENT, operands.rows() - row);
    int columns = (int) Math.min(EXTENT, operands.columns() - column);
    if (operands.result().block() == ScaleBlock.ROW && !operands.transposed() && isShort()) {
      long wide = scratch.take(EXTENT * 4);
      for (int r = 0; r < rows; r++) {
        quantizeShorts(row + r, column, columns, wide);
      }
      return;
    }
    WideSpan span = WideSpan.of(operands.x(), (long) rows * columns, scratch);
    long values = span.readRows(row * operands.columns() + column, operands.columns(), rows, columns);
    var tile = new Tile(row, column, rows, columns, values, span.stride(operands.columns(), columns));
    if (operands.result().block() == ScaleBlock.MATRIX) {
      quantizeAlike(tile, scaleOfMatrix, scratch);
    } else if (operands.result().block() == ScaleBlock.SQUARE) {
      quantizeAlike(tile, operands.scale(maximum(tile)), scratch);
    } else if (operands.transposed()) {
      quantizeColumns(tile, scratch);
    } else {
      quantizeRows(tile);
    }
  }

  private boolean isShort() {
    return operands.x().dtype() == DType.BF16 && operands.rule() == ScaleRule.POWER_OF_TWO;
  }

  /** A block of a row of BF16, without widening it where that can be; {@code wide}: room for it where not. */
  private void quantizeShorts(long row, long column, int columns, long wide) {
    Scaled result = operands.result();
    long x = operands.x().address() + 2 * (row * operands.columns() + column);
    int maximum = Fp8Shorts.maximum(x, columns);
    float scale = operands.scale(Bf16.toFloat((short) maximum));
    if (Fp8Shorts.canEncode(maximum, scale, result.format())) {
      Memory.setFloat(result.scaleAddress(row, column), 1 / scale);
      Fp8Shorts.encode(x, columns, scale, result.format(), result.codeAddress(row, column));
    } else {
      ElementwiseLoops.fromBf16(x, columns, wide);
      quantizeRow(wide, columns, row, column);
    }
  }

  private void quantizeRows(Tile tile) {
    for (int r = 0; r < tile.rows; r++) {
      quantizeRow(tile.valuesOf(r), tile.columns, tile.row + r, tile.column);
    }
  }

  /** A block of a row. */
  private void quantizeRow(long values, int columns, long row, long column) {
    Scaled result = operands.result();
    float scale = operands.scale(Fp8Loops.maximum(values, columns, 0));
    Memory.setFloat(result.scaleAddress(row, column), 1 / scale);
    Fp8Loops.encode(values, columns, scale, result.format(), result.codeAddress(row, column));
  }

  private static float maximum(Tile tile) {
    float amax = 0;
    for (int r = 0; r < tile.rows; r++) {
      amax = Fp8Loops.maximum(tile.valuesOf(r), tile.columns, amax);
    }
    return amax;
  }

  /** With one scale for the tile. */
  private void quantizeAlike(Tile tile, float scale, Scratch scratch) {
    Scaled result = operands.result();
    if (operands.transposed()) {
      Memory.setFloat(result.scaleAddress(tile.column, tile.row), 1 / scale);
      long scales = scratch.take(EXTENT * 4);
      ElementwiseLoops.fill(scales, tile.columns, scale);
      encodeTransposed(tile, scales, scratch);
      return;
    }
    Memory.setFloat(result.scaleAddress(tile.row, tile.column), 1 / scale);
    for (int r = 0; r < tile.rows; r++) {
      Fp8Loops.encode(
          tile.valuesOf(r), tile.columns, scale, result.format(), result.codeAddress(tile.row + r, tile.column));
    }
  }

  /** Blocks of x's columns. */
  private void quantizeColumns(Tile tile, Scratch scratch) {
    Scaled result = operands.result();
    long scales = scratch.take(EXTENT * 4);
    Memory.zero(scales, EXTENT * 4);
    for (int r = 0; r < tile.rows; r++) {
      Fp8Loops.maxima(tile.valuesOf(r), tile.columns, scales);
    }
    for (int c = 0; c < tile.columns; c++) {
      float scale = operands.scale(Memory.getFloat(scales + c * 4L));
      Memory.setFloat(scales + c * 4L, scale);
      Memory.setFloat(result.scaleAddress(tile.column + c, tile.row), 1 / scale);
    }
    encodeTransposed(tile, scales, scratch);
  }

  /**
   * Codes of four rows at a time, then of the tile's columns.
   *
   * @param scales of the columns
   */
  private void encodeTransposed(Tile tile, long scales, Scratch scratch) {
    Scaled result = operands.result();
    long fours = scratch.take(EXTENT * EXTENT);
    int whole = tile.rows & -FOUR;
    for (int r = 0; r < whole; r += FOUR) {
      Fp8Loops.encodeFour(tile.valuesOf(r), tile.rowBytes, tile.columns, scales, result.format(), fours + r * EXTENT);
    }
    for (int c = 0; c < tile.columns; c++) {
      long to = result.codeAddress(tile.column + c, tile.row);
      for (int r = 0; r < whole; r += FOUR) {
        Memory.setInt(to + r, Memory.getInt(fours + r * EXTENT + c * 4L));
      }
      for (int r = whole; r < tile.rows; r++) {
        float value = Memory.getFloat(tile.valuesOf(r) + c * 4L);
        Memory.setByte(to + r, result.format().fromFloat(value * Memory.getFloat(scales + c * 4L)));
      }
    }
  }
}
