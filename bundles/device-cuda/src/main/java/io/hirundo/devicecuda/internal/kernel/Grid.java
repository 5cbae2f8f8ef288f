package io.hirundo.devicecuda.internal.kernel;

/** How elementwise work is cut into blocks. */
final class Grid {
  /** Threads of a block of elementwise kernels, and of those that take a row a block. */
  static final int THREADS = 256;

  private static final long ELEMENTS_OF_BLOCK = 4L * THREADS;

  /** Enough to fill any GPU several times; threads then take several turns. */
  private static final long MOST_BLOCKS = 1 << 14;

  private Grid() {}

  static long of(long elements) {
    return Math.min(MOST_BLOCKS, Math.ceilDiv(elements, ELEMENTS_OF_BLOCK));
  }
}
