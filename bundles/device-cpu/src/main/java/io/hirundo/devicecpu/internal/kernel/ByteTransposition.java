package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Memory;

/** Transposes matrices of bytes, eight by eight in registers (Warren, "Hacker's Delight", section 7-3, for bytes). */
final class ByteTransposition {
  private static final int EIGHT = 8;

  private ByteTransposition() {}

  /** {@code to[column, row] = from[row, column]}, by address; {@code fromRow} and {@code toRow} are bytes from a row to the next. */
  static void run(long from, long fromRow, int rows, int columns, long to, long toRow) {
    int wholeRows = rows & -EIGHT;
    int wholeColumns = columns & -EIGHT;
    for (int column = 0; column < wholeColumns; column += EIGHT) {
      for (int row = 0; row < wholeRows; row += EIGHT) {
        square(from + row * fromRow + column, fromRow, to + column * toRow + row, toRow);
      }
    }
    each(from, fromRow, wholeRows, rows, 0, wholeColumns, to, toRow);
    each(from, fromRow, 0, rows, wholeColumns, columns, to, toRow);
  }

  private static void each(
      long from, long fromRow, int firstRow, int endRow, int firstColumn, int endColumn, long to, long toRow) {
    for (int column = firstColumn; column < endColumn; column++) {
      for (int row = firstRow; row < endRow; row++) {
        Memory.setByte(to + column * toRow + row, Memory.getByte(from + row * fromRow + column));
      }
    }
  }

  private static void square(long from, long fromRow, long to, long toRow) {
    long r0 = Memory.getLong(from);
    long r1 = Memory.getLong(from + fromRow);
    long r2 = Memory.getLong(from + 2 * fromRow);
    long r3 = Memory.getLong(from + 3 * fromRow);
    long r4 = Memory.getLong(from + 4 * fromRow);
    long r5 = Memory.getLong(from + 5 * fromRow);
    long r6 = Memory.getLong(from + 6 * fromRow);
    long r7 = Memory.getLong(from + 7 * fromRow);
    // Bytes of neighbours, then pairs of them, then fours change places.
    long low = 0x00ff00ff00ff00ffL;
    long s0 = r0 & low | (r1 & low) << 8;
    long s1 = r0 >>> 8 & low | r1 & ~low;
    long s2 = r2 & low | (r3 & low) << 8;
    long s3 = r2 >>> 8 & low | r3 & ~low;
    long s4 = r4 & low | (r5 & low) << 8;
    long s5 = r4 >>> 8 & low | r5 & ~low;
    long s6 = r6 & low | (r7 & low) << 8;
    long s7 = r6 >>> 8 & low | r7 & ~low;
    low = 0x0000ffff0000ffffL;
    r0 = s0 & low | (s2 & low) << 16;
    r2 = s0 >>> 16 & low | s2 & ~low;
    r1 = s1 & low | (s3 & low) << 16;
    r3 = s1 >>> 16 & low | s3 & ~low;
    r4 = s4 & low | (s6 & low) << 16;
    r6 = s4 >>> 16 & low | s6 & ~low;
    r5 = s5 & low | (s7 & low) << 16;
    r7 = s5 >>> 16 & low | s7 & ~low;
    low = 0x00000000ffffffffL;
    Memory.setLong(to, r0 & low | r4 << 32);
    Memory.setLong(to + toRow, r1 & low | r5 << 32);
    Memory.setLong(to + 2 * toRow, r2 & low | r6 << 32);
    Memory.setLong(to + 3 * toRow, r3 & low | r7 << 32);
    Memory.setLong(to + 4 * toRow, r0 >>> 32 | r4 & ~low);
    Memory.setLong(to + 5 * toRow, r1 >>> 32 | r5 & ~low);
    Memory.setLong(to + 6 * toRow, r2 >>> 32 | r6 & ~low);
    Memory.setLong(to + 7 * toRow, r3 >>> 32 | r7 & ~low);
  }
}
