package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextDocument;
import io.hirundo.dataloader.internal.decoding.ByteOrderMark;
import io.hirundo.dataloader.internal.decoding.Utf8;
import java.io.IOException;
import java.io.InputStream;

/** A unit that is one document. */
final class WholeCursor implements DocumentCursor {
    private final DocumentFormat format;
    private final String origin;
    private final InputStream input;
    private boolean ended;

    /** {@code input}: closed with the cursor. */
    WholeCursor(String origin, InputStream input, DocumentFormat format) {
        this.origin = origin;
        this.input = input;
        this.format = format;
    }

    @Override
    public FoundDocument next() throws IOException {
        if (ended) {
            return null;
        }
        ended = true;
        // A gzipped file may say that it is small, and hold anything.
        byte[] bytes = input.readNBytes(format.maxDocumentBytes());
        if (bytes.length == format.maxDocumentBytes() && input.readNBytes(1).length > 0) {
            throw format.tooLarge(origin);
        }
        int mark = ByteOrderMark.bytes(bytes, bytes.length);
        String text = Utf8.decode(bytes, mark, bytes.length - mark, mark);
        return text.isBlank() ? null : new FoundDocument(new TextDocument(origin, text), bytes.length - mark);
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
