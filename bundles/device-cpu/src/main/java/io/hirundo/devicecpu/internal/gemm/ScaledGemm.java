package io.hirundo.devicecpu.internal.gemm;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.LANES;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.PANEL_COLUMNS;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.ROWS;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.VECTOR_COLUMNS;

import io.hirundo.devicecpu.internal.gemm.loops.Fp8Vectors;
import io.hirundo.devicecpu.internal.gemm.loops.Microkernel;
import io.hirundo.devicecpu.internal.gemm.loops.Packing;
import io.hirundo.devicecpu.internal.gemm.loops.ResultTile;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.devicecpu.internal.tensor.Operands;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import jdk.incubator.vector.FloatVector;

/**
 * GEMM of two quantized FP8 matrices, tile by tile of the result, in FP32: block by block of k a task unpacks both
 * operands and lets the {@link Microkernel} sum them without scales, in the order of k; then it adds the sums, scaled, to its
 * tile. The result depends on nothing but the operands.
 */
public final class ScaledGemm implements Task {
  private static final int EXTENT = ScaleBlock.EXTENT;

  /** So many that what a task unpacks is used often, so few that it stays in the L2 cache. */
  private static final int TILE_ROWS = 32 * ROWS;

  private static final int TILE_COLUMNS = 256;
  private static final long STRIP_BYTES = 4L * ROWS * EXTENT;
  private static final long PANEL_BYTES = 4L * PANEL_COLUMNS * EXTENT;
  private static final long SUMS_ROW_BYTES = 4L * PANEL_COLUMNS;
  private static final long TILE_ROW_BYTES = 4L * TILE_COLUMNS;

  private final Codes a;
  private final Codes b;
  private final CpuTensor c;
  private final boolean accumulate;
  private final int m;
  private final int n;
  private final int k;
  private final int rowTiles;
  /** None where all rows share their scale. */
  private final long rowScaleBytes;

  /** An operand, by address. */
  private record Codes(long address, Fp8 format, long scales, ScaleBlock block, long rows, long columns) {
    static Codes of(ScaledMatrix matrix) {
      CpuTensor codes = Operands.of("codesMK", matrix.codesMK());
      CpuTensor scales = Operands.of("inverseScales", matrix.inverseScales());
      return new Codes(
          codes.address(), Fp8.of(codes.dtype()), scales.address(), matrix.block(), Operands.rowsOf(codes),
          Operands.columnsOf(codes));
    }

    /** Rows of the operand from a column on as FP32 rows of {@link ScaleBlock#EXTENT}. */
    Packing.Part unpack(long row, int count, long column, int depth, long to) {
      for (int r = 0; r < count; r++) {
        Fp8Vectors.decode(address + (row + r) * columns + column, depth, format, to + 4L * r * EXTENT);
      }
      return new Packing.Part(to, 4L * EXTENT, DType.FP32);
    }

    long scaleAddress(long row, long column) {
      return scales + 4 * block.scaleIndex(rows, columns, row, column);
    }
  }

  /** Memory of a task. */
  private record Room(long tile, long strips, long panels, long unpacked, long sums, long columnScales) {
    static Room of(Scratch scratch) {
      return new Room(
          scratch.take(TILE_ROW_BYTES * TILE_ROWS),
          scratch.take(STRIP_BYTES * (TILE_ROWS / ROWS)),
          scratch.take(PANEL_BYTES * (TILE_COLUMNS / PANEL_COLUMNS)),
          scratch.take(PANEL_BYTES),
          scratch.take(SUMS_ROW_BYTES * ROWS),
          scratch.take(TILE_ROW_BYTES));
    }
  }

  /** The operands have been checked. */
  public ScaledGemm(ScaledMatrix aMK, ScaledMatrix bNK, CpuTensor cMN, boolean accumulate) {
    this.a = Codes.of(aMK);
    this.b = Codes.of(bNK);
    this.c = cMN;
    this.accumulate = accumulate;
    this.m = Math.toIntExact(a.rows);
    this.n = Math.toIntExact(b.rows);
    this.k = Math.toIntExact(a.columns);
    this.rowScaleBytes = a.block == ScaleBlock.ROW ? 4 : 0;
    this.rowTiles = Blocking.divideUp(m, TILE_ROWS);
  }

  public int tasks() {
    return rowTiles * Blocking.divideUp(n, TILE_COLUMNS);
  }

  @Override
  public void run(int task, Scratch scratch) {
    int row = task % rowTiles * TILE_ROWS;
    int column = task / rowTiles * TILE_COLUMNS;
    int rows = Math.min(TILE_ROWS, m - row);
    int columns = Math.min(TILE_COLUMNS, n - column);
    Room room = Room.of(scratch);
    Memory.zero(room.tile, TILE_ROW_BYTES * rows);
    for (int first = 0; first < k; first += EXTENT) {
      int depth = Math.min(EXTENT, k - first);
      packRows(row, rows, first, depth, room);
      packColumns(column, columns, first, depth, room);
      for (int panel = 0; panel < columns; panel += PANEL_COLUMNS) {
        for (int strip = 0; strip < rows; strip += ROWS) {
          Microkernel.multiply(
              room.strips + strip / ROWS * STRIP_BYTES, 4L * ROWS, room.panels + panel / PANEL_COLUMNS * PANEL_BYTES,
              PANEL_COLUMNS, depth, room.sums, SUMS_ROW_BYTES);
          addScaled(room, strip, Math.min(ROWS, rows - strip), panel, a.scaleAddress(row + strip, first), rowScaleBytes);
        }
      }
    }
    long address = c.address() + ((long) row * n + column) * c.dtype().byteSize();
    long rowBytes = (long) n * c.dtype().byteSize();
    if (c.dtype() == DType.BF16) {
      ResultTile.narrow(room.tile, TILE_ROW_BYTES, address, rowBytes, rows, columns, accumulate);
    } else {
      ResultTile.merge(room.tile, TILE_ROW_BYTES, address, rowBytes, rows, columns, accumulate);
    }
  }

  private void packRows(int row, int rows, int first, int depth, Room room) {
    for (int strip = 0; strip < rows; strip += ROWS) {
      int count = Math.min(ROWS, rows - strip);
      Packing.Part part = a.unpack(row + strip, count, first, depth, room.unpacked);
      Packing.strip(part, count, depth, room.strips + strip / ROWS * STRIP_BYTES, 0);
    }
  }

  private void packColumns(int column, int columns, int first, int depth, Room room) {
    for (int panel = 0; panel < columns; panel += PANEL_COLUMNS) {
      int count = Math.min(PANEL_COLUMNS, columns - panel);
      Packing.Part part = b.unpack(column + panel, count, first, depth, room.unpacked);
      Packing.panel(part, count, depth, room.panels + panel / PANEL_COLUMNS * PANEL_BYTES, PANEL_COLUMNS, 0);
    }
    for (int i = 0; i < columns; i++) {
      Memory.setFloat(room.columnScales + 4L * i, Memory.getFloat(b.scaleAddress(column + i, first)));
    }
  }

  /**
   * {@code tile = fma(sums rowScale, columnScale, tile)} for a strip and a panel.
   *
   * @param rowScales of the strip's first row
   * @param rowScaleBytes from one row's to the next
   */
  private static void addScaled(Room room, int strip, int rows, int panel, long rowScales, long rowScaleBytes) {
    for (int row = 0; row < rows; row++) {
      FloatVector rowScale = FloatVector.broadcast(LANES, Memory.getFloat(rowScales + rowScaleBytes * row));
      long sums = room.sums + row * SUMS_ROW_BYTES;
      long to = room.tile + (strip + row) * TILE_ROW_BYTES + 4L * panel;
      long columnScales = room.columnScales + 4L * panel;
      for (int column = 0; column < PANEL_COLUMNS; column += VECTOR_COLUMNS) {
        FloatVector sum = FloatVector.fromMemorySegment(LANES, ALL, sums + 4L * column, ORDER).mul(rowScale);
        FloatVector columnScale = FloatVector.fromMemorySegment(LANES, ALL, columnScales + 4L * column, ORDER);
        FloatVector old = FloatVector.fromMemorySegment(LANES, ALL, to + 4L * column, ORDER);
        sum.fma(columnScale, old).intoMemorySegment(ALL, to + 4L * column, ORDER);
      }
    }
  }
}
