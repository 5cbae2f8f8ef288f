package io.hirundo.checkpointdcp.internal;

/**
 * A file of tensor bytes, as the manifest lists it.
 *
 * @param name within the checkpoint's folder
 * @param bytes its length
 */
record DataFile(String name, long bytes) {
  /** Pieces begin at multiples of this, so that they can be read and written past the page cache. */
  static final int ALIGNMENT_BYTES = 4096;

  static final String PATTERN = "rank-\\d{5,}\\.data";

  static String name(int rank) {
    return "rank-%05d.data".formatted(rank);
  }

  static long align(long position) {
    return (position + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
  }
}
