package io.hirundo.data;

/**
 * How much of a source to read.
 *
 * @param maximumBytes stop after this many UTF-8 bytes, at a document boundary; {@link Long#MAX_VALUE} reads everything
 * @param seed selects the documents of a subset; the same source and seed give the same documents
 */
public record TextSelection(long maximumBytes, long seed) {
    public static final TextSelection ALL = new TextSelection(Long.MAX_VALUE, 0);
}
