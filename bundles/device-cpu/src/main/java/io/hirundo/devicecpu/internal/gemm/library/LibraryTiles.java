package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.devicecpu.internal.gemm.Blocking;
import io.hirundo.devicecpu.internal.gemm.GemmOperands;
import io.hirundo.devicecpu.internal.gemm.GemmOperands.Extents;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import java.lang.foreign.MemorySegment;

/**
 * A product cut into tiles of the result, each a task that a library multiplies. The cut follows from the extents alone. Libraries have
 * special kernels for one row or column, which sum in another order, so no tile has one: a single row is computed twice, in scratch memory.
 */
final class LibraryTiles implements Task {
  /** A tile of this size runs at the library's full speed, and its operands stay in the second cache. */
  private static final int MOST_ROWS = 512;

  private static final int MOST_COLUMNS = 256;

  /** Below this, packing operands costs too much of a tile's time. */
  private static final int LEAST_ROWS = 128;

  private static final int LEAST_COLUMNS = 64;

  /** Enough for an even load of some tens of workers, where the extents allow it. */
  private static final int ENOUGH_TASKS = 16;

  /** Registers of all processors hold this many columns or divisors of it. */
  private static final int ALIGNMENT = 16;

  private final GemmOperands operands;
  private final boolean accumulate;
  private final Cut rows;
  private final Cut columns;
  private final PreparedProduct[] products;

  /** An extent cut into equal tiles but the last. */
  record Cut(int extent, int tile, int tiles) {
    /** @param largest size of a tile, a multiple of {@link #ALIGNMENT} */
    static Cut of(int extent, int largest) {
      int tile = Math.min(extent, Blocking.roundUp(Blocking.divideUp(extent, Blocking.divideUp(extent, largest)), ALIGNMENT));
      int tiles = Blocking.divideUp(extent, tile);
      // No last tile of one row or column: the one before takes it.
      return new Cut(extent, tile, tiles > 1 && extent - (tiles - 1) * tile == 1 ? tiles - 1 : tiles);
    }

    int first(int index) {
      return index * tile;
    }

    int size(int index) {
      return index == tiles - 1 ? extent - first(index) : tile;
    }

    boolean isLast(int index) {
      return index == tiles - 1;
    }
  }

  LibraryTiles(GemmOperands operands, boolean accumulate, PreparedProducts prepared) {
    this.operands = operands;
    this.accumulate = accumulate;
    Extents extents = operands.extents();
    int tileRows = MOST_ROWS;
    int tileColumns = MOST_COLUMNS;
    while (tasks(extents, tileRows, tileColumns) < ENOUGH_TASKS && (tileRows > LEAST_ROWS || tileColumns > LEAST_COLUMNS)) {
      if (tileRows > LEAST_ROWS && tileRows >= tileColumns) {
        tileRows /= 2;
      } else {
        tileColumns /= 2;
      }
    }
    rows = Cut.of(extents.m(), tileRows);
    columns = Cut.of(extents.n(), tileColumns);
    products = new PreparedProduct[4];
    for (int i = 0; i < products.length; i++) {
      int row = (i & 1) == 0 ? 0 : rows.tiles() - 1;
      int column = (i & 2) == 0 ? 0 : columns.tiles() - 1;
      products[i] = prepared.of(product(rows.size(row), columns.size(column)));
    }
    prepared.evict();
  }

  private static int tasks(Extents extents, int rows, int columns) {
    return Blocking.divideUp(extents.m(), rows) * Blocking.divideUp(extents.n(), columns);
  }

  int tasks() {
    return rows.tiles() * columns.tiles();
  }

  private TileProduct product(int m, int n) {
    Extents extents = operands.extents();
    int k = extents.k();
    Operand b = new Operand(operands.b().dtype(), operands.bTransposed() ? k : extents.n(), operands.bTransposed());
    if (m == 1) {
      Operand a = new Operand(operands.a().dtype(), k, false);
      return new TileProduct(2, n, k, a, b, new Operand(operands.c().dtype(), n, false), accumulate);
    }
    Operand a = new Operand(operands.a().dtype(), operands.aTransposed() ? extents.m() : k, operands.aTransposed());
    return new TileProduct(m, n, k, a, b, new Operand(operands.c().dtype(), extents.n(), false), accumulate);
  }

  @Override
  public void run(int task, Scratch scratch) {
    int rowTile = task % rows.tiles();
    int columnTile = task / rows.tiles();
    PreparedProduct product = products[(rows.isLast(rowTile) ? 1 : 0) + (columns.isLast(columnTile) ? 2 : 0)];
    int row = rows.first(rowTile);
    int column = columns.first(columnTile);
    long a = address(operands.a(), operands.aIndex(row, 0));
    long b = address(operands.b(), operands.bIndex(0, column));
    long c = address(operands.c(), (long) row * operands.extents().n() + column);
    if (operands.extents().m() == 1) {
      runSingleRow(product, a, b, c, columns.size(columnTile), scratch);
    } else {
      product.run(a, b, c, scratch.take(product.scratchBytes()));
    }
  }

  private void runSingleRow(PreparedProduct product, long a, long b, long c, int n, Scratch scratch) {
    long rowBytes = (long) operands.extents().k() * operands.a().dtype().byteSize();
    long resultBytes = (long) n * operands.c().dtype().byteSize();
    long rows = scratch.take(2 * rowBytes);
    long result = scratch.take(2 * resultBytes);
    for (int copy = 0; copy < 2; copy++) {
      copy(a, rows + copy * rowBytes, rowBytes);
      copy(c, result + copy * resultBytes, resultBytes);
    }
    product.run(rows, b, result, scratch.take(product.scratchBytes()));
    copy(result, c, resultBytes);
  }

  private static void copy(long from, long to, long bytes) {
    MemorySegment.copy(Memory.ALL, from, Memory.ALL, to, bytes);
  }

  private static long address(CpuTensor tensor, long index) {
    return tensor.address() + index * tensor.dtype().byteSize();
  }
}
