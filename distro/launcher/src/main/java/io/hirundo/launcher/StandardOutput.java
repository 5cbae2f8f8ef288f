package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What becomes of a command whose result did not arrive: {@code System.out} keeps failures to itself until it is asked. */
final class StandardOutput {
  private static final Path FILE = Path.of("/dev/fd/1");
  private static final int KIND = 0170000;
  private static final int PIPE = 0010000;

  private StandardOutput() {}

  /**
   * To be called when the command has ended.
   *
   * @throws LaunchException when something could not be written, unless a reader has gone that had read enough, as {@code head} does
   */
  static void check() throws LaunchException {
    if (System.out.checkError() && !isPipe()) {
      throw LaunchException.unwritten("standard output could not be written, what arrived is not whole: make room where it goes");
    }
  }

  private static boolean isPipe() {
    try {
      return ((Integer) Files.getAttribute(FILE, "unix:mode") & KIND) == PIPE;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }
}
