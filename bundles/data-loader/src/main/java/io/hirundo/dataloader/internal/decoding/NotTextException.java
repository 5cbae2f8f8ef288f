package io.hirundo.dataloader.internal.decoding;

import java.io.IOException;

/** What was read is not text. The message says why, and goes on from the name of the file. */
public final class NotTextException extends IOException {
  private static final long serialVersionUID = 1L;

  NotTextException(String message) {
    super(message);
  }
}
