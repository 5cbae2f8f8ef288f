package io.hirundo.devicecpu.internal.kernel;

import static io.hirundo.devicecpu.internal.kernel.Lanes.BYTES;
import static io.hirundo.devicecpu.internal.kernel.Lanes.load;
import static io.hirundo.devicecpu.internal.kernel.Lanes.splatAt;
import static io.hirundo.devicecpu.internal.kernel.Lanes.store;

import jdk.incubator.vector.FloatVector;

/**
 * Products of small FP32 matrices that lie in the caches: {@code c = (accumulate ? c : 0) + a b}. Rows of b and c are
 * whole vectors; a is read a float at a time, at any row and column stride, so that it may be stored transposed. All
 * strides and addresses are in bytes. Every element of c is summed over the depth in order, by one fused multiply-add
 * each.
 */
final class TileProduct {
  /** Rows of c are worked on in fours; the callers' tiles are padded to it. */
  static final int ROWS = 4;

  private static final FloatVector ZERO = Lanes.splat(0);
  /** Vectors of a row block that fit into the registers: 16 accumulators need AVX-512's 32 registers. */
  private static final int WIDEST = Lanes.COUNT >= 16 ? 4 : 3;

  private TileProduct() {}

  /**
   * @param aRow from one row of a to the next
   * @param aStep from one column of a to the next
   * @param rows of a and c, a multiple of {@link #ROWS}
   * @param vectors of a row of b and c
   * @param depth columns of a, rows of b
   */
  static void multiply(
      long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int rows, int vectors, int depth, boolean accumulate) {
    for (int row = 0; row < rows; row += ROWS) {
      fourRows(a + row * aRow, aRow, aStep, b, bStep, c + row * cRow, cRow, vectors, depth, accumulate);
    }
  }

  /** As {@link #multiply}, of four rows. */
  static void fourRows(
      long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int vectors, int depth, boolean accumulate) {
    int vector = 0;
    while (vector < vectors) {
      long bColumn = b + (long) vector * BYTES;
      long cColumn = c + (long) vector * BYTES;
      int left = vectors - vector;
      // Five vectors are three and two: a block of one cannot hide the latency of its multiply-adds.
      int width = left == WIDEST + 1 ? WIDEST - 1 : Math.min(left, WIDEST);
      switch (width) {
        case 4 -> fourBy4(a, aRow, aStep, bColumn, bStep, cColumn, cRow, depth, accumulate);
        case 3 -> fourBy3(a, aRow, aStep, bColumn, bStep, cColumn, cRow, depth, accumulate);
        case 2 -> fourBy2(a, aRow, aStep, bColumn, bStep, cColumn, cRow, depth, accumulate);
        default -> fourBy1(a, aRow, aStep, bColumn, bStep, cColumn, cRow, depth, accumulate);
      }
      vector += width;
    }
  }

  private static void fourBy4(
      long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int depth, boolean accumulate) {
    long aRow2 = 2 * aRow;
    long aRow3 = 3 * aRow;
    FloatVector c00 = accumulate ? load(c) : ZERO;
    FloatVector c01 = accumulate ? load(c + BYTES) : ZERO;
    FloatVector c02 = accumulate ? load(c + 2 * BYTES) : ZERO;
    FloatVector c03 = accumulate ? load(c + 3 * BYTES) : ZERO;
    FloatVector c10 = accumulate ? load(c + cRow) : ZERO;
    FloatVector c11 = accumulate ? load(c + cRow + BYTES) : ZERO;
    FloatVector c12 = accumulate ? load(c + cRow + 2 * BYTES) : ZERO;
    FloatVector c13 = accumulate ? load(c + cRow + 3 * BYTES) : ZERO;
    FloatVector c20 = accumulate ? load(c + 2 * cRow) : ZERO;
    FloatVector c21 = accumulate ? load(c + 2 * cRow + BYTES) : ZERO;
    FloatVector c22 = accumulate ? load(c + 2 * cRow + 2 * BYTES) : ZERO;
    FloatVector c23 = accumulate ? load(c + 2 * cRow + 3 * BYTES) : ZERO;
    FloatVector c30 = accumulate ? load(c + 3 * cRow) : ZERO;
    FloatVector c31 = accumulate ? load(c + 3 * cRow + BYTES) : ZERO;
    FloatVector c32 = accumulate ? load(c + 3 * cRow + 2 * BYTES) : ZERO;
    FloatVector c33 = accumulate ? load(c + 3 * cRow + 3 * BYTES) : ZERO;
    for (int step = 0; step < depth; step++) {
      FloatVector b0 = load(b);
      FloatVector b1 = load(b + BYTES);
      FloatVector b2 = load(b + 2 * BYTES);
      FloatVector b3 = load(b + 3 * BYTES);
      FloatVector x = splatAt(a);
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      c02 = x.fma(b2, c02);
      c03 = x.fma(b3, c03);
      x = splatAt(a + aRow);
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      c12 = x.fma(b2, c12);
      c13 = x.fma(b3, c13);
      x = splatAt(a + aRow2);
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      c22 = x.fma(b2, c22);
      c23 = x.fma(b3, c23);
      x = splatAt(a + aRow3);
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
      c32 = x.fma(b2, c32);
      c33 = x.fma(b3, c33);
      a += aStep;
      b += bStep;
    }
    store(c00, c);
    store(c01, c + BYTES);
    store(c02, c + 2 * BYTES);
    store(c03, c + 3 * BYTES);
    store(c10, c + cRow);
    store(c11, c + cRow + BYTES);
    store(c12, c + cRow + 2 * BYTES);
    store(c13, c + cRow + 3 * BYTES);
    store(c20, c + 2 * cRow);
    store(c21, c + 2 * cRow + BYTES);
    store(c22, c + 2 * cRow + 2 * BYTES);
    store(c23, c + 2 * cRow + 3 * BYTES);
    store(c30, c + 3 * cRow);
    store(c31, c + 3 * cRow + BYTES);
    store(c32, c + 3 * cRow + 2 * BYTES);
    store(c33, c + 3 * cRow + 3 * BYTES);
  }

  private static void fourBy3(
      long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int depth, boolean accumulate) {
    long aRow2 = 2 * aRow;
    long aRow3 = 3 * aRow;
    FloatVector c00 = accumulate ? load(c) : ZERO;
    FloatVector c01 = accumulate ? load(c + BYTES) : ZERO;
    FloatVector c02 = accumulate ? load(c + 2 * BYTES) : ZERO;
    FloatVector c10 = accumulate ? load(c + cRow) : ZERO;
    FloatVector c11 = accumulate ? load(c + cRow + BYTES) : ZERO;
    FloatVector c12 = accumulate ? load(c + cRow + 2 * BYTES) : ZERO;
    FloatVector c20 = accumulate ? load(c + 2 * cRow) : ZERO;
    FloatVector c21 = accumulate ? load(c + 2 * cRow + BYTES) : ZERO;
    FloatVector c22 = accumulate ? load(c + 2 * cRow + 2 * BYTES) : ZERO;
    FloatVector c30 = accumulate ? load(c + 3 * cRow) : ZERO;
    FloatVector c31 = accumulate ? load(c + 3 * cRow + BYTES) : ZERO;
    FloatVector c32 = accumulate ? load(c + 3 * cRow + 2 * BYTES) : ZERO;
    for (int step = 0; step < depth; step++) {
      FloatVector b0 = load(b);
      FloatVector b1 = load(b + BYTES);
      FloatVector b2 = load(b + 2 * BYTES);
      FloatVector x = splatAt(a);
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      c02 = x.fma(b2, c02);
      x = splatAt(a + aRow);
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      c12 = x.fma(b2, c12);
      x = splatAt(a + aRow2);
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      c22 = x.fma(b2, c22);
      x = splatAt(a + aRow3);
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
      c32 = x.fma(b2, c32);
      a += aStep;
      b += bStep;
    }
    store(c00, c);
    store(c01, c + BYTES);
    store(c02, c + 2 * BYTES);
    store(c10, c + cRow);
    store(c11, c + cRow + BYTES);
    store(c12, c + cRow + 2 * BYTES);
    store(c20, c + 2 * cRow);
    store(c21, c + 2 * cRow + BYTES);
    store(c22, c + 2 * cRow + 2 * BYTES);
    store(c30, c + 3 * cRow);
    store(c31, c + 3 * cRow + BYTES);
    store(c32, c + 3 * cRow + 2 * BYTES);
  }

  private static void fourBy2(
      long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int depth, boolean accumulate) {
    long aRow2 = 2 * aRow;
    long aRow3 = 3 * aRow;
    FloatVector c00 = accumulate ? load(c) : ZERO;
    FloatVector c01 = accumulate ? load(c + BYTES) : ZERO;
    FloatVector c10 = accumulate ? load(c + cRow) : ZERO;
    FloatVector c11 = accumulate ? load(c + cRow + BYTES) : ZERO;
    FloatVector c20 = accumulate ? load(c + 2 * cRow) : ZERO;
    FloatVector c21 = accumulate ? load(c + 2 * cRow + BYTES) : ZERO;
    FloatVector c30 = accumulate ? load(c + 3 * cRow) : ZERO;
    FloatVector c31 = accumulate ? load(c + 3 * cRow + BYTES) : ZERO;
    for (int step = 0; step < depth; step++) {
      FloatVector b0 = load(b);
      FloatVector b1 = load(b + BYTES);
      FloatVector x = splatAt(a);
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      x = splatAt(a + aRow);
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      x = splatAt(a + aRow2);
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      x = splatAt(a + aRow3);
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
      a += aStep;
      b += bStep;
    }
    store(c00, c);
    store(c01, c + BYTES);
    store(c10, c + cRow);
    store(c11, c + cRow + BYTES);
    store(c20, c + 2 * cRow);
    store(c21, c + 2 * cRow + BYTES);
    store(c30, c + 3 * cRow);
    store(c31, c + 3 * cRow + BYTES);
  }

  private static void fourBy1(
      long a, long aRow, long aStep, long b, long bStep, long c, long cRow, int depth, boolean accumulate) {
    long aRow2 = 2 * aRow;
    long aRow3 = 3 * aRow;
    FloatVector c00 = accumulate ? load(c) : ZERO;
    FloatVector c10 = accumulate ? load(c + cRow) : ZERO;
    FloatVector c20 = accumulate ? load(c + 2 * cRow) : ZERO;
    FloatVector c30 = accumulate ? load(c + 3 * cRow) : ZERO;
    for (int step = 0; step < depth; step++) {
      FloatVector b0 = load(b);
      FloatVector x = splatAt(a);
      c00 = x.fma(b0, c00);
      x = splatAt(a + aRow);
      c10 = x.fma(b0, c10);
      x = splatAt(a + aRow2);
      c20 = x.fma(b0, c20);
      x = splatAt(a + aRow3);
      c30 = x.fma(b0, c30);
      a += aStep;
      b += bStep;
    }
    store(c00, c);
    store(c10, c + cRow);
    store(c20, c + 2 * cRow);
    store(c30, c + 3 * cRow);
  }
}
