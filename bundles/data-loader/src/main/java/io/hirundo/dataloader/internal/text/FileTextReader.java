package io.hirundo.dataloader.internal.text;

import io.hirundo.DataException;
import io.hirundo.command.Interruption;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextFormat;
import io.hirundo.data.TextFormat.Layout;
import io.hirundo.data.TextReader;
import io.hirundo.data.TextSelection;
import io.hirundo.dataloader.internal.decoding.Utf8;
import io.hirundo.dataloader.internal.stop.Stop;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Reads documents from files.
 *
 * <ul>
 *   <li>A folder: all files below it, by name; each a document. Hidden files are left out, links to folders not followed.
 *   <li>A zip or jar, alone or in a folder: its entries, by name; each a document.
 *   <li>JSON lines: the text field of each line is a document. They are recognized by the names {@code .jsonl} and {@code .ndjson}, and
 *       under any other name by their first lines ({@link JsonContent}). Other JSON is an error.
 *   <li>Any other file is text in UTF-8. Alone, or larger than a megabyte, it is cut as {@link PieceCursor} says.
 *   <li>Each of these may be gzipped ({@code .gz}), but for archives.
 * </ul>
 *
 * <p>Binary files and other encodings are an error where they are asked for by name; in folders and archives they are left
 * out. What is taken of a source that is too large, see {@link ReadingPlan}.
 */
@Component(service = TextReader.class)
public final class FileTextReader implements TextReader {
    private final DocumentFormat format;
    private final Stop stop;

    /** Properties of the component. */
    public @interface Config {
        /** Which field of JSON lines holds the text. */
        String textField() default DocumentFormat.DEFAULT_TEXT_FIELD;

        /** Bytes of the largest document that is read. */
        int maxDocumentBytes() default DocumentFormat.DEFAULT_MAX_DOCUMENT_BYTES;
    }

    @Activate
    public FileTextReader(Config config, @Reference Interruption interruption) {
        this(new DocumentFormat(Layout.AUTO, config.textField(), config.maxDocumentBytes()), Stop.on(interruption));
    }

    public FileTextReader(DocumentFormat format, Stop stop) {
        this.format = format;
        this.stop = stop;
    }

    @Override
    public TextReader with(TextFormat other) {
        return other.equals(TextFormat.AUTO) ? this : new FileTextReader(format.with(other), stop);
    }

    /** Bytes of a document's text in UTF-8. */
    public static long bytes(TextDocument document) {
        return Utf8.bytes(document.text());
    }

    @Override
    public Stream<TextDocument> read(Path source, TextSelection selection) {
        SourceFiles files = SourceFiles.list(source, stop);
        ReadingPlan plan = ReadingPlan.of(units(files), source.toString(), selection);
        var cursor = new SourceCursor(files, plan, new SourceCursor.Settings(selection.maximumBytes(), format, stop));
        return StreamSupport.stream(new CursorSpliterator(cursor), false).onClose(cursor::close);
    }

    private List<TextUnit> units(SourceFiles files) {
        List<TextUnit> units = UnitScan.scan(files, format.layout(), stop);
        if (units.isEmpty()) {
            throw new DataException(
                    files.source() + " holds no text: it is empty; give text in UTF-8, JSON lines, a zip or a folder");
        }
        return units;
    }

    @Override
    public OptionalLong approximateBytes(Path source) {
        return OptionalLong.of(UnitScan.scan(SourceFiles.list(source, stop), format.layout(), stop).stream()
                .mapToLong(TextUnit::bytes)
                .sum());
    }

    private static final class CursorSpliterator extends Spliterators.AbstractSpliterator<TextDocument> {
        private final SourceCursor cursor;

        CursorSpliterator(SourceCursor cursor) {
            super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL);
            this.cursor = cursor;
        }

        @Override
        public boolean tryAdvance(Consumer<? super TextDocument> action) {
            TextDocument document = cursor.next();
            if (document == null) {
                return false;
            }
            action.accept(document);
            return true;
        }
    }
}
