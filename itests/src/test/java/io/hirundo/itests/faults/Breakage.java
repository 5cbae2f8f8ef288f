package io.hirundo.itests.faults;

import java.nio.file.Path;

/** Damages a valid file. */
@FunctionalInterface
interface Breakage {
  /** Changes, replaces or deletes the file. */
  void apply(Path file) throws Exception;
}
