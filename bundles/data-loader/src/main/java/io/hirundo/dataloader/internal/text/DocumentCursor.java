package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextDocument;
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
   * @param textField of JSON lines
   */
  static DocumentCursor open(TextUnit unit, String textField) throws IOException {
    return switch (unit.format()) {
      case WHOLE -> new WholeCursor(unit);
      case PIECES -> new PieceCursor(unit);
      case LINES -> new LineCursor(unit, textField);
    };
  }
}
