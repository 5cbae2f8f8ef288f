package io.hirundo.data;

/**
 * How much of a source is read.
 *
 * @param maximumBytes UTF-8 bytes to stop at, on a document border; {@link Long#MAX_VALUE} for all
 * @param seed chooses which documents, where not all are read; the same source and seed give the same documents
 */
public record TextSelection(long maximumBytes, long seed) {
  public static final TextSelection ALL = new TextSelection(Long.MAX_VALUE, 0);
}
