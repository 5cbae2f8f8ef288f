package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextDocument;
import io.hirundo.dataloader.internal.decoding.ByteOrderMark;
import io.hirundo.dataloader.internal.decoding.Utf8;
import java.io.IOException;
import java.io.InputStream;

/** A unit that is one document. */
final class WholeCursor implements DocumentCursor {
  private final DocumentFormat format;
  private TextUnit unit;

  WholeCursor(TextUnit unit, DocumentFormat format) {
    this.unit = unit;
    this.format = format;
  }

  @Override
  public Found next() throws IOException {
    if (unit == null) {
      return null;
    }
    byte[] bytes;
    try (InputStream input = unit.access().open(0)) {
      // An archive may say that an entry is small, and hold anything.
      bytes = input.readNBytes(format.maxDocumentBytes());
      if (bytes.length == format.maxDocumentBytes() && input.read() >= 0) {
        throw format.tooLarge(unit.origin());
      }
    }
    int mark = ByteOrderMark.bytes(bytes, bytes.length);
    String text = Utf8.decode(bytes, mark, bytes.length - mark, mark);
    String origin = unit.origin();
    unit = null;
    return text.isBlank() ? null : new Found(new TextDocument(origin, text), bytes.length - mark);
  }

  @Override
  public void close() {
    unit = null;
  }
}
