package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextDocument;
import io.hirundo.dataloader.internal.decoding.ByteOrderMark;
import io.hirundo.dataloader.internal.decoding.JsonLine;
import io.hirundo.dataloader.internal.decoding.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** JSON lines: of a part of a file those that begin in it. */
final class LineCursor implements DocumentCursor {
    private static final int BUFFER_BYTES = 1 << 17;

    private final TextUnit unit;
    private final DocumentFormat format;
    private final JsonLine json;
    private final InputStream input;
    private byte[] buffer = new byte[BUFFER_BYTES];

    /** Where the buffer's first byte is in the file. */
    private long base;

    private int limit;

    /** Where the next line begins in the buffer. */
    private int start;

    private boolean ended;
    private long line;

    LineCursor(TextUnit unit, DocumentFormat format) throws IOException {
        this(unit, unit.access().open(firstByte(unit)), format);
    }

    /** {@code input}: the unit from one byte before it on; closed with the cursor. */
    LineCursor(TextUnit unit, InputStream input, DocumentFormat format) throws IOException {
        this.unit = unit;
        this.input = input;
        this.format = format;
        json = new JsonLine(format.textField());
        base = firstByte(unit);
        try {
            fill();
            start = unit.from() == 0 ? ByteOrderMark.bytes(buffer, limit) : lineEnd() + 1;
        } catch (IOException | RuntimeException failure) {
            input.close();
            throw failure;
        }
    }

    /** One byte earlier: if it ends a line, the part begins with a line. */
    private static long firstByte(TextUnit unit) {
        return Math.max(0, unit.from() - 1);
    }

    @Override
    public FoundDocument next() throws IOException {
        while (base + start < unit.to()) {
            int end = lineEnd();
            if (start >= limit) {
                return null;
            }
            String origin = unit.origin() + "@" + (base + start);
            line++;
            if (end - start > format.maxDocumentBytes()) {
                throw format.tooLarge(origin);
            }
            // Lines before a part of a file are not counted.
            String text =
                    json.text(buffer, start, end - start, unit.from() == 0 ? origin + " (line " + line + ")" : origin);
            start = end + 1;
            if (!text.isBlank()) {
                return new FoundDocument(new TextDocument(origin, text), Utf8.bytes(text));
            }
        }
        return null;
    }

    /** Where the line that begins at {@link #start} ends in the buffer, which then holds all of it. */
    private int lineEnd() throws IOException {
        int at = start;
        while (true) {
            for (; at < limit; at++) {
                if (buffer[at] == '\n') {
                    return at;
                }
            }
            if (ended) {
                return limit;
            }
            at -= start;
            fill();
            at += start;
        }
    }

    /** Reads more behind the line that has begun, and moves that to the buffer's beginning. */
    private void fill() throws IOException {
        int kept = limit - start;
        if (start == 0 && kept == buffer.length) {
            if (kept > format.maxDocumentBytes()) {
                throw format.tooLarge(unit.origin() + "@" + base);
            }
            // With a line end behind the longest that is allowed.
            buffer = Arrays.copyOf(buffer, (int) Math.min(2L * kept, format.maxDocumentBytes() + 1L));
        } else {
            System.arraycopy(buffer, start, buffer, 0, kept);
            base += start;
            start = 0;
            limit = kept;
        }
        int bytes = input.read(buffer, limit, buffer.length - limit);
        ended = bytes < 0;
        limit += Math.max(bytes, 0);
    }

    @Override
    public long replaced() {
        return json.replaced();
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
