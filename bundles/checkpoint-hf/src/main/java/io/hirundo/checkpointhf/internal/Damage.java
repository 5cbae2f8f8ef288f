package io.hirundo.checkpointhf.internal;

import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import java.nio.file.Path;

/** What is wrong with a file of weights. */
final class Damage {
  static final String REMEDY = "it is damaged or of another kind: fetch it again";

  private Damage() {}

  static DataException of(Path file, String what) {
    return new DataException(file + ": " + what + "; " + REMEDY);
  }

  static DataException of(Path file, String tensor, String what) {
    return new DataException(file + ": tensor '" + Excerpt.of(tensor) + "' " + what);
  }
}
