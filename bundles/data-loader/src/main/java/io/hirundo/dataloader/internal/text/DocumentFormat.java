package io.hirundo.dataloader.internal.text;

import io.hirundo.DataException;
import io.hirundo.data.TextFormat;
import io.hirundo.data.TextFormat.Layout;
import java.util.Locale;

/**
 * How documents are taken out of files.
 *
 * @param layout of files whose name does not say it
 * @param textField of JSON lines
 * @param maxDocumentBytes of a line of JSON, or of a file that is one document: a tokenizer takes many times as much memory for it
 */
public record DocumentFormat(Layout layout, String textField, int maxDocumentBytes) {
    public static final String DEFAULT_TEXT_FIELD = "text";
    public static final int DEFAULT_MAX_DOCUMENT_BYTES = 16 << 20;

    public DocumentFormat {
        if (maxDocumentBytes < 1 || maxDocumentBytes > 1 << 30) {
            throw new DataException("--max-document-bytes: " + maxDocumentBytes + " is wrong (allowed: 1 to 1GiB)");
        }
    }

    DocumentFormat with(TextFormat format) {
        return new DocumentFormat(
                format.layout(), format.textField() == null ? textField : format.textField(), maxDocumentBytes);
    }

    /** {@code where} has a document that is too large. */
    DataException tooLarge(String where) {
        return new DataException(String.format(
                Locale.ROOT,
                "%s is a document of more than %,d bytes; split it into several, or allow more with --max-document-bytes SIZE",
                where,
                maxDocumentBytes));
    }
}
