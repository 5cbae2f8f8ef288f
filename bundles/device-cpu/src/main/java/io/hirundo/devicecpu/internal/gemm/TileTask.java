package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.devicecpu.internal.Scratch;
import io.hirundo.devicecpu.internal.Task;
import io.hirundo.tensor.DType;

/**
 * Computes one tile of the result from a span of packed b: block by block of k it packs the tile's rows of op(a) into its
 * scratch memory and multiplies them, panel by panel of b, strip by strip of a.
 */
final class TileTask implements Task {
  private static final long SUMS_ROW_BYTES = 4L * Microkernel.PANEL_COLUMNS;

  private final GemmOperands operands;
  private final Blocking blocking;
  private final PackedB packed;
  private final boolean accumulate;
  private final int rowTiles;
  private final boolean narrow;

  /**
   * @param accumulate whether to add to what the result holds, be it of before the product or of an earlier span
   */
  TileTask(GemmOperands operands, Blocking blocking, PackedB packed, boolean accumulate) {
    this.operands = operands;
    this.blocking = blocking;
    this.packed = packed;
    this.accumulate = accumulate;
    this.rowTiles = Blocking.divideUp(operands.extents().m(), blocking.tile().rows());
    this.narrow = operands.c().dtype() == DType.BF16;
  }

  int tasks() {
    return rowTiles * Blocking.divideUp(packed.columns(), blocking.tile().columns());
  }

  @Override
  public void run(int task, Scratch scratch) {
    int row = task % rowTiles * blocking.tile().rows();
    int column = task / rowTiles * blocking.tile().columns();
    int rows = Math.min(blocking.tile().rows(), operands.extents().m() - row);
    int columns = Math.min(blocking.tile().columns(), packed.columns() - column);
    CpuTensor c = operands.c();
    long n = operands.extents().n();
    long result = c.address() + (row * n + packed.columnFirst() + column) * c.dtype().byteSize();
    long resultRowBytes = n * c.dtype().byteSize();
    int stripBytes = 4 * Microkernel.ROWS * blocking.kBlock();
    long strips = scratch.take((long) stripBytes * Blocking.divideUp(rows, Microkernel.ROWS));
    long sums = scratch.take(SUMS_ROW_BYTES * Microkernel.ROWS);
    if (narrow) {
      long wideRowBytes = 4L * Blocking.roundUp(columns, Microkernel.PANEL_COLUMNS);
      long wide = scratch.take(wideRowBytes * rows);
      multiply(row, rows, column, columns, strips, sums, wide, wideRowBytes, false);
      ResultTile.narrow(wide, wideRowBytes, result, resultRowBytes, rows, columns, accumulate);
    } else {
      multiply(row, rows, column, columns, strips, sums, result, resultRowBytes, accumulate);
    }
  }

  private void multiply(
      int row, int rows, int column, int columns, long strips, long sums, long result, long resultRowBytes, boolean add) {
    long stripBytes = 4L * Microkernel.ROWS * blocking.kBlock();
    int firstPanel = column / Microkernel.PANEL_COLUMNS;
    int panels = Blocking.divideUp(columns, Microkernel.PANEL_COLUMNS);
    for (int k = 0; k < packed.k(); k += blocking.kBlock()) {
      int depth = Math.min(blocking.kBlock(), packed.k() - k);
      packA(row, rows, packed.kFirst() + k, depth, strips, stripBytes);
      for (int panel = 0; panel < panels; panel++) {
        long target = result + SUMS_ROW_BYTES * panel;
        multiplyPanel(strips, stripBytes, rows, firstPanel + panel, k, depth, sums, target, resultRowBytes, add || k > 0);
      }
    }
  }

  private void multiplyPanel(
      long strips, long stripBytes, int rows, int panel, int k, int depth, long sums, long result, long resultRowBytes, boolean add) {
    long b = packed.addressOf(panel, k);
    int width = packed.widthOf(panel);
    int columns = packed.columnsOf(panel);
    for (int row = 0; row < rows; row += Microkernel.ROWS) {
      int stripRows = Math.min(Microkernel.ROWS, rows - row);
      long a = strips + row / Microkernel.ROWS * stripBytes;
      long target = result + row * resultRowBytes;
      if (!add && stripRows == Microkernel.ROWS && columns == width) {
        Microkernel.multiply(a, b, width, depth, target, resultRowBytes);
      } else {
        Microkernel.multiply(a, b, width, depth, sums, SUMS_ROW_BYTES);
        ResultTile.merge(sums, SUMS_ROW_BYTES, target, resultRowBytes, stripRows, columns, add);
      }
    }
  }

  private void packA(int row, int rows, int k, int depth, long strips, long stripBytes) {
    CpuTensor a = operands.a();
    int elementBytes = a.dtype().byteSize();
    if (operands.aTransposed()) {
      long start = a.address() + operands.aIndex(row, k) * elementBytes;
      var part = new Packing.Part(start, (long) operands.extents().m() * elementBytes, a.dtype());
      Packing.strips(part, rows, depth, strips, stripBytes);
      return;
    }
    for (int first = 0; first < rows; first += Microkernel.ROWS) {
      long start = a.address() + operands.aIndex(row + first, k) * elementBytes;
      var part = new Packing.Part(start, (long) operands.extents().k() * elementBytes, a.dtype());
      int stripRows = Math.min(Microkernel.ROWS, rows - first);
      Packing.transposed(part, stripRows, depth, strips + first / Microkernel.ROWS * stripBytes, Microkernel.ROWS);
    }
  }
}
