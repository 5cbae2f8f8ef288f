package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextDocument;
import io.hirundo.dataloader.internal.decoding.ByteOrderMark;
import io.hirundo.dataloader.internal.decoding.Utf8;
import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts a text into documents of about {@value #PIECE_BYTES} bytes. There is a border at or after each multiple of that:
 * behind the first blank line within {@value #WINDOW_BYTES} bytes, else behind the first line end there, else at once (never
 * within a character); less than a piece is left to the one before. Borders depend on nothing but the bytes around them, so
 * that a part of a file gives the documents that the whole file gives there.
 */
final class PieceCursor implements DocumentCursor {
    static final int PIECE_BYTES = 8 << 10;
    private static final int WINDOW_BYTES = 32 << 10;

    /** A border is known by what is before it: two line ends, the second perhaps with a carriage return. */
    private static final int LOOK_BACK = 3;

    private final TextUnit unit;
    private final InputStream input;
    private final byte[] buffer = new byte[4 * WINDOW_BYTES];

    /** Where the buffer's first byte is in the file. */
    private long base;

    private int limit;
    private boolean ended;

    /** A multiple of the piece size, and the border that belongs to it. */
    private long target;

    private long border;

    PieceCursor(TextUnit unit) throws IOException {
        this.unit = unit;
        target = unit.from();
        base = Math.max(0, target - LOOK_BACK);
        border = base;
        input = unit.access().open(base);
        try {
            fill(target + WINDOW_BYTES);
            border = target == 0 ? ByteOrderMark.bytes(buffer, limit) : borderAt(target);
        } catch (IOException | RuntimeException failure) {
            input.close();
            throw failure;
        }
    }

    @Override
    public FoundDocument next() throws IOException {
        while (target < unit.to()) {
            fill(target + PIECE_BYTES + WINDOW_BYTES);
            if (ended && border == base + limit) {
                return null;
            }
            target += PIECE_BYTES;
            long first = border;
            border = borderAt(target);
            if (border > first) {
                int bytes = (int) (border - first);
                String text = Utf8.decode(buffer, (int) (first - base), bytes, first);
                if (!text.isBlank()) {
                    return new FoundDocument(new TextDocument(unit.origin() + "@" + first, text), bytes);
                }
            }
        }
        return null;
    }

    private long borderAt(long position) {
        long end = base + limit;
        long line = -1;
        // The last border may be beyond the position already, and what was before it is gone; the next is never before
        // it.
        for (long at = Math.max(position, border); at < Math.min(position + WINDOW_BYTES, end); at++) {
            if (byteAt(at - 1) == '\n') {
                if (byteAt(at - 2) == '\n' || (byteAt(at - 2) == '\r' && byteAt(at - 3) == '\n')) {
                    return at;
                }
                line = line < 0 ? at : line;
            }
        }
        if (end < position + PIECE_BYTES) {
            return end; // What is left of the file is too little for a document of its own.
        }
        return line >= 0 ? line : characterAt(position, end);
    }

    private long characterAt(long position, long end) {
        long at = position;
        // A character has at most three bytes after its first; more of them is no UTF-8, which decoding will tell.
        while (at < end && at < position + 3 && (byteAt(at) & 0xC0) == 0x80) {
            at++;
        }
        return at;
    }

    private int byteAt(long at) {
        return buffer[(int) (at - base)];
    }

    /** Reads on until the buffer holds all from the last border to {@code upTo}, or the file has ended. */
    private void fill(long upTo) throws IOException {
        if (ended || base + limit >= upTo) {
            return;
        }
        int done = (int) (Math.max(base, border - LOOK_BACK) - base);
        System.arraycopy(buffer, done, buffer, 0, limit - done);
        base += done;
        limit -= done;
        while (!ended && limit < buffer.length) {
            int bytes = input.read(buffer, limit, buffer.length - limit);
            ended = bytes < 0;
            limit += Math.max(bytes, 0);
        }
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
