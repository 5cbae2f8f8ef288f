package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextDocument;
import io.hirundo.dataloader.internal.decoding.NotTextException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;

/** Documents, one after the other. */
interface DocumentCursor extends Closeable {
    /**
     * A document.
     *
     * @param bytes of its text in UTF-8
     */
    record FoundDocument(TextDocument document, long bytes) {}

    /**
     * The next document; null at the end. Documents without anything but white space are left out.
     *
     * @throws NotTextException when there is something else than text
     */
    FoundDocument next() throws IOException;

    /** Characters that JSON can express and text cannot, replaced so far: lone surrogates. */
    default long replaced() {
        return 0;
    }

    /**
     * Opens a unit.
     *
     * @param format of its documents
     */
    static DocumentCursor open(TextUnit unit, DocumentFormat format) throws IOException {
        return switch (unit.format()) {
            case SMALL -> ofSmall(unit, format);
            case WHOLE -> new WholeCursor(unit.origin(), unit.access().open(0), format);
            case PIECES -> new PieceCursor(unit);
            case LINES -> new LineCursor(unit, format);
        };
    }

    private static DocumentCursor ofSmall(TextUnit unit, DocumentFormat format) throws IOException {
        InputStream input = unit.access().open(0);
        try {
            byte[] head = input.readNBytes(JsonContent.HEAD_BYTES);
            var all = new SequenceInputStream(new ByteArrayInputStream(head), input);
            return UnitScan.isLines(unit.origin(), unit.origin(), head)
                    ? new LineCursor(unit, all, format)
                    : new WholeCursor(unit.origin(), all, format);
        } catch (IOException | RuntimeException failure) {
            input.close();
            throw failure;
        }
    }
}
