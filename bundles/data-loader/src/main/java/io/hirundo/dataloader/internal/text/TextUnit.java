package io.hirundo.dataloader.internal.text;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Something that documents are read from: a file, a part of one, or an entry of an archive.
 *
 * @param origin for messages
 * @param format what is in it
 * @param from its first byte, where it is a part of a file
 * @param to the byte after its last
 * @param bytes how much text there is, about
 * @param access to its bytes
 */
record TextUnit(String origin, Format format, long from, long to, long bytes, Access access) {
    /** More than this is not held in memory at once, unless it is one line. */
    static final int LARGE_BYTES = 1 << 20;

    private static final int BLOCK_BYTES = 8 * PieceCursor.PIECE_BYTES;
    private static final int MOST_BLOCKS = 1 << 14;

    /** What is in a unit. */
    enum Format {
        /** JSON lines or one document; its first bytes decide when it is opened. */
        SMALL,
        /** One document. */
        WHOLE,
        /** Text that is cut into documents. */
        PIECES,
        /** JSON lines, a document each. */
        LINES
    }

    /** Bytes of a unit. */
    interface Access {
        /** Opens at a byte of the file; at 0 only, where it {@link #isStream}. */
        InputStream open(long at) throws IOException;

        /** Whether it can only be read from its beginning on. */
        boolean isStream();
    }

    static TextUnit whole(String origin, Format format, long bytes, Access access) {
        return new TextUnit(origin, format, 0, Long.MAX_VALUE, bytes, access);
    }

    /** Whether documents are to be chosen while it is read, because it is large and has to be read through. */
    boolean isThinned() {
        return access.isStream() && (format == Format.PIECES || format == Format.LINES) && bytes > LARGE_BYTES;
    }

    /** Parts that can be chosen one by one; the unit itself where it has none. */
    List<TextUnit> parts() {
        if (access.isStream() || format == Format.SMALL || format == Format.WHOLE || bytes <= BLOCK_BYTES) {
            return List.of(this);
        }
        long pieces = Math.ceilDiv(bytes, (long) PieceCursor.PIECE_BYTES * MOST_BLOCKS);
        long block = Math.max(BLOCK_BYTES, pieces * PieceCursor.PIECE_BYTES);
        List<TextUnit> parts = new ArrayList<>();
        for (long first = 0; first < bytes; first += block) {
            long end = Math.min(first + block, bytes);
            parts.add(new TextUnit(origin, format, first, end < bytes ? end : Long.MAX_VALUE, end - first, access));
        }
        return parts;
    }
}
