package io.hirundo.itests.faults;

import java.nio.file.Path;

/** Makes a good file bad. */
@FunctionalInterface
interface Breakage {
  /** Changes the file, replaces it, or takes it away. */
  void apply(Path file) throws Exception;
}
