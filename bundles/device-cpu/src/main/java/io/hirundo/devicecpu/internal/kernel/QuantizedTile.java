package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Bf16;
import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.devicecpu.internal.Scratch;
import io.hirundo.devicecpu.internal.kernel.ScaledOperands.Scaled;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaleRule;
import io.hirundo.tensor.DType;

/**
 * A tile of a matrix that is quantized: first the largest magnitudes of its blocks, then their scales, then codes row by row, which
 * for a transposed result are transposed in the end. BF16 goes as it is, in 16-bit integers, where scales are powers of two and all
 * is finite ({@link Fp8Shorts}); else its rows are widened one by one.
 */
final class QuantizedTile {
  /** Of a tile, at most. */
  static final int ELEMENTS = 1 << 16;

  /** Columns of a tile, at most. */
  static final int LONG_ROW = 4096;

  private static final int EXTENT = ScaleBlock.EXTENT;

  private final ScaledOperands operands;
  private final Scaled result;
  private final long row;
  private final long column;
  private final int rows;
  private final int columns;
  private final Scratch scratch;

  /** Of BF16 in FP32; 0 where x is FP32. */
  private final long wideRow;

  /** Of every block, or of every column. */
  private final long maxima;

  private final long scales;

  /** Of every column, for {@link Fp8Shorts}. */
  private final long offsets;

  QuantizedTile(ScaledOperands operands, long row, long column, int rows, int columns, Scratch scratch) {
    this.operands = operands;
    this.result = operands.result();
    this.row = row;
    this.column = column;
    this.rows = rows;
    this.columns = columns;
    this.scratch = scratch;
    this.wideRow = isBf16() ? scratch.take(LONG_ROW * 4) : 0;
    this.maxima = scratch.take(LONG_ROW * 4);
    this.scales = scratch.take(LONG_ROW * 4);
    this.offsets = scratch.take(LONG_ROW * 2);
  }

  /** {@code scaleOfMatrix}: of a result that has one scale. */
  void run(float scaleOfMatrix) {
    if (result.block() == ScaleBlock.MATRIX) {
      // Every tile writes it, with the same bits: no task comes before or after all of them.
      result.inverseScales().setDouble(0, 1 / scaleOfMatrix);
      ElementwiseLoops.fill(scales, blocks(), scaleOfMatrix);
      encodeBlocks(false);
    } else if (result.block() == ScaleBlock.SQUARE) {
      encodeBlocks(measureBlocks(0, rows));
    } else if (operands.transposed()) {
      quantizeColumns();
    } else {
      for (int r = 0; r < rows; r++) {
        boolean inShorts = measureBlocks(r, 1);
        encodeRow(r, inShorts, result.codeAddress(row + r, column));
      }
    }
  }

  private int blocks() {
    return Blocks.count(columns, EXTENT);
  }

  private boolean isBf16() {
    return operands.x().dtype() == DType.BF16;
  }

  private boolean isShort() {
    return isBf16() && operands.rule() == ScaleRule.POWER_OF_TWO;
  }

  private long address(int r) {
    return operands.x().address() + ((row + r) * operands.columns() + column) * operands.x().dtype().byteSize();
  }

  /** A row as FP32, until the next one. */
  private long wide(int r) {
    if (wideRow == 0) {
      return address(r);
    }
    ElementwiseLoops.fromBf16(address(r), columns, wideRow);
    return wideRow;
  }

  /** Sets the scales of blocks of some rows, and tells whether they can be encoded in 16-bit integers. */
  private boolean measureBlocks(int firstRow, int height) {
    Memory.zero(maxima, blocks() * 4L);
    for (int r = firstRow; r < firstRow + height; r++) {
      if (isBf16()) {
        Fp8Shorts.blockMaxima(address(r), columns, maxima);
      } else {
        Fp8Loops.blockMaxima(address(r), columns, maxima);
      }
    }
    boolean inShorts = isShort();
    for (int b = 0; b < blocks(); b++) {
      int bits = Memory.getInt(maxima + b * 4L) << (isBf16() ? 16 : 0);
      float amax = bits <= Fp8Loops.INFINITY ? Float.intBitsToFloat(bits) : maximumOfNumbers(firstRow, height, b);
      float scale = operands.scale(amax);
      inShorts = inShorts && Fp8Shorts.canEncode(bits >>> 16, scale, result.format());
      if (inShorts) {
        int count = Math.min(EXTENT, columns - b * EXTENT);
        Fp8Shorts.fill(offsets + b * EXTENT * 2L, count, Fp8Shorts.offset(scale, result.format()));
      }
      Memory.setFloat(scales + b * 4L, scale);
      long at = column + b * (long) EXTENT;
      long target = operands.transposed() ? result.scaleAddress(at, row) : result.scaleAddress(row + firstRow, at);
      Memory.setFloat(target, 1 / scale);
    }
    return inShorts;
  }

  /** Of a block in which something is not a number. */
  private float maximumOfNumbers(int firstRow, int height, int block) {
    int count = Math.min(EXTENT, columns - block * EXTENT);
    float amax = 0;
    for (int r = firstRow; r < firstRow + height; r++) {
      amax = Fp8Loops.maximum(wide(r) + block * EXTENT * 4L, count, amax);
    }
    return amax;
  }

  /** With the scales of blocks. */
  private void encodeBlocks(boolean inShorts) {
    long tile = operands.transposed() ? scratch.take(ELEMENTS) : 0;
    for (int r = 0; r < rows; r++) {
      encodeRow(r, inShorts, tile == 0 ? result.codeAddress(row + r, column) : tile + r * (long) columns);
    }
    transpose(tile);
  }

  private void encodeRow(int r, boolean inShorts, long codes) {
    if (inShorts) {
      Fp8Shorts.encode(address(r), columns, offsets, result.format(), codes);
    } else {
      Fp8Loops.encodeBlocks(wide(r), columns, scales, result.format(), codes);
    }
  }

  /** Blocks of x's columns. */
  private void quantizeColumns() {
    boolean inShorts = isShort() && measureShortColumns();
    if (!inShorts) {
      measureColumns();
    }
    long tile = scratch.take(ELEMENTS);
    for (int r = 0; r < rows; r++) {
      long codes = tile + r * (long) columns;
      if (inShorts) {
        Fp8Shorts.encode(address(r), columns, offsets, result.format(), codes);
      } else {
        Fp8Loops.encodeColumns(wide(r), columns, scales, result.format(), codes);
      }
    }
    transpose(tile);
  }

  private void measureColumns() {
    Memory.zero(maxima, columns * 4L);
    for (int r = 0; r < rows; r++) {
      Fp8Loops.maxima(wide(r), columns, maxima);
    }
    for (int c = 0; c < columns; c++) {
      setScaleOfColumn(c, operands.scale(Memory.getFloat(maxima + c * 4L)));
    }
  }

  /** False where it cannot be done in 16-bit integers. */
  private boolean measureShortColumns() {
    Memory.zero(maxima, columns * 2L);
    for (int r = 0; r < rows; r++) {
      Fp8Shorts.maxima(address(r), columns, maxima);
    }
    for (int c = 0; c < columns; c++) {
      int maximum = Memory.getShort(maxima + c * 2L);
      float scale = operands.scale(Bf16.toFloat((short) maximum));
      if (!Fp8Shorts.canEncode(maximum, scale, result.format())) {
        return false;
      }
      setScaleOfColumn(c, scale);
      Memory.setShort(offsets + c * 2L, Fp8Shorts.offset(scale, result.format()));
    }
    return true;
  }

  private void setScaleOfColumn(int c, float scale) {
    Memory.setFloat(scales + c * 4L, scale);
    Memory.setFloat(result.scaleAddress(column + c, row), 1 / scale);
  }

  /** {@code tile}: codes of the rows; 0 where they are where they belong. */
  private void transpose(long tile) {
    if (tile == 0) {
      return;
    }
    long fours = scratch.take(CodeTransposition.FOURS_BYTES);
    for (int c = 0; c < columns; c += EXTENT) {
      CodeTransposition.tile(
          tile + c, columns, rows, Math.min(EXTENT, columns - c), result.codeAddress(column + c, row), result.columns(), fours);
    }
  }
}
