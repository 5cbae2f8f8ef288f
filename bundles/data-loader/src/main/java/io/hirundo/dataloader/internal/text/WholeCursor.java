package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextDocument;
import java.io.IOException;
import java.io.InputStream;

/** A unit that is one document. */
final class WholeCursor implements DocumentCursor {
  private TextUnit unit;

  WholeCursor(TextUnit unit) {
    this.unit = unit;
  }

  @Override
  public Found next() throws IOException {
    if (unit == null) {
      return null;
    }
    byte[] bytes;
    try (InputStream input = unit.access().open(0)) {
      bytes = input.readAllBytes();
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
