package io.hirundo.checkpointdcp.internal;

import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.IrregularFileException;
import java.io.IOException;

/** Exceptions of the file system in words: many of them say a path and leave the rest to their class. */
final class Reason {
  private Reason() {}

  static String of(IOException e) {
    if (e instanceof IrregularFileException || e instanceof FileTooLargeException) {
      return e.getMessage();
    }
    String kind = e.getClass().getSimpleName().replace("Exception", "");
    return e.getClass() == IOException.class ? e.getMessage() : e.getMessage() + " (" + kind + ")";
  }
}
