package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.devicecpu.internal.Scratch;

/**
 * A block of op(a) in a task's scratch memory, packed anew for each block of k: strips of {@link Microkernel#ROWS} rows,
 * each [k, 6].
 */
final class PackedA {
  private final GemmOperands operands;
  private final int firstRow;
  private final int rows;
  private final long stripBytes;
  private final long strips;
  private final long wide;

  /**
   * @param firstRow first row of op(a)
   * @param rows its rows
   * @param mostK the largest block of k
   */
  PackedA(GemmOperands operands, int firstRow, int rows, int mostK, Scratch scratch) {
    this.operands = operands;
    this.firstRow = firstRow;
    this.rows = rows;
    this.stripBytes = Packing.stripBytes(mostK);
    this.strips = scratch.take(stripBytes * Blocking.divideUp(rows, Microkernel.ROWS));
    this.wide = scratch.take(Packing.wideBytes(Math.max(mostK, rows)));
  }

  int rows() {
    return rows;
  }

  /** Where the strip that begins at a row is; {@code row} counts from the first one and is a multiple of a strip. */
  long strip(int row) {
    return strips + row / Microkernel.ROWS * stripBytes;
  }

  /** Rows of that strip that exist. */
  int rowsOfStrip(int row) {
    return Math.min(Microkernel.ROWS, rows - row);
  }

  /** Packs columns {@code [firstK, firstK + k)} of op(a). */
  void pack(int firstK, int k) {
    if (operands.aTransposed()) {
      Packing.stripsOfRows(part(firstRow, firstK, operands.extents().m()), rows, k, strips, stripBytes, wide);
      return;
    }
    for (int row = 0; row < rows; row += Microkernel.ROWS) {
      Packing.strip(part(firstRow + row, firstK, operands.extents().k()), rowsOfStrip(row), k, strip(row), wide);
    }
  }

  private Packing.Part part(int row, int k, long storedColumns) {
    CpuTensor a = operands.a();
    int elementBytes = a.dtype().byteSize();
    return new Packing.Part(a.address() + operands.aIndex(row, k) * elementBytes, storedColumns * elementBytes, a.dtype());
  }
}
