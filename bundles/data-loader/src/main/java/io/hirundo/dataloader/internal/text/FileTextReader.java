package io.hirundo.dataloader.internal.text;

import io.hirundo.DataException;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextReader;
import io.hirundo.data.TextSelection;
import io.hirundo.dataloader.internal.decoding.Utf8;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/**
 * Reads documents from files.
 *
 * <ul>
 *   <li>A folder: all files below it, by name; each a document. Hidden files are left out, links to folders not followed.
 *   <li>A zip or jar, alone or in a folder: its entries, by name; each a document.
 *   <li>JSON lines ({@code .jsonl}, {@code .ndjson}): the text field of each line is a document.
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

  /** Properties of the component. */
  public @interface Config {
    /** Which field of JSON lines holds the text. */
    String textField() default DocumentFormat.DEFAULT_TEXT_FIELD;

    /** Bytes of the largest document that is read. */
    int maxDocumentBytes() default DocumentFormat.DEFAULT_MAX_DOCUMENT_BYTES;
  }

  @Activate
  public FileTextReader(Config config) {
    this(new DocumentFormat(config.textField(), config.maxDocumentBytes()));
  }

  public FileTextReader(DocumentFormat format) {
    this.format = format;
  }

  /** Bytes of a document's text in UTF-8. */
  public static long bytes(TextDocument document) {
    return Utf8.bytes(document.text());
  }

  @Override
  public Stream<TextDocument> read(Path source, TextSelection selection) {
    SourceFiles files = SourceFiles.list(source);
    var zips = new ZipPool();
    try {
      List<TextUnit> units = units(files, zips);
      ReadingPlan plan = ReadingPlan.of(units, source.toString(), selection);
      var cursor = new SourceCursor(files, plan, new SourceCursor.Settings(selection.maximumBytes(), format, zips));
      return StreamSupport.stream(new CursorSpliterator(cursor), false).onClose(cursor::close);
    } catch (RuntimeException | Error failure) {
      close(zips);
      throw failure;
    }
  }

  private static List<TextUnit> units(SourceFiles files, ZipPool zips) {
    List<TextUnit> units = UnitScan.scan(files, zips);
    if (units.isEmpty()) {
      throw new DataException(files.source() + " holds no text: it is empty; give text in UTF-8, JSON lines, a zip or a folder");
    }
    return units;
  }

  @Override
  public OptionalLong approximateBytes(Path source) {
    var zips = new ZipPool();
    try {
      return OptionalLong.of(UnitScan.scan(SourceFiles.list(source), zips).stream().mapToLong(TextUnit::bytes).sum());
    } finally {
      close(zips);
    }
  }

  private static void close(ZipPool zips) {
    try {
      zips.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
