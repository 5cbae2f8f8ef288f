package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextDocument;
import io.hirundo.dataloader.internal.decoding.NotTextException;
import java.io.Closeable;
import java.io.IOException;

/** Documents, one after the other. */
interface DocumentCursor extends Closeable {
  /**
   * A document.
   *
   * @param bytes of its text in UTF-8
   */
  record Found(TextDocument document, long bytes) {}

  /**
   * The next document; null at the end. Documents without anything but white space are left out.
   *
   * @throws NotTextException when there is something else than text
   */
  Found next() throws IOException;

  /**
   * Opens a unit.
   *
   * @param format of its documents
   */
  static DocumentCursor open(TextUnit unit, DocumentFormat format) throws IOException {
    return switch (unit.format()) {
      case WHOLE -> new WholeCursor(unit, format);
      case PIECES -> new PieceCursor(unit);
      case LINES -> new LineCursor(unit, format);
    };
  }
}
