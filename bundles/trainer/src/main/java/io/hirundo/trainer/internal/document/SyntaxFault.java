package io.hirundo.trainer.internal.document;

import com.fasterxml.jackson.core.JsonLocation;
import java.io.IOException;

/** A place where a document does not follow the syntax of JSON or YAML, or uses a part of YAML that Hirundo leaves out. */
final class SyntaxFault extends IOException {
  private static final long serialVersionUID = 1L;

  private final String place;

  /** Where a parser is. */
  SyntaxFault(String message, JsonLocation location) {
    this(message, location.getLineNr(), location.getColumnNr());
  }

  /** {@code line}, {@code column}: counted from 1, less where it is not known. */
  SyntaxFault(String message, int line, int column) {
    super(message);
    this.place = line < 1 ? "" : column < 1 ? ", line " + line : ", line " + line + ", column " + column;
  }

  /** {@code , line 3, column 7}; empty where it is not known. */
  String place() {
    return place;
  }
}
