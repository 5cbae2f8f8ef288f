package io.hirundo.lib.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Folders for temporary files that only this user can enter, below the folder of the process if the launcher made one. The launcher
 * removes that folder with the process, or at a later start if the process is killed.
 */
public final class TemporaryFolders {
  /** System property, set by the launcher: the folder of this process. */
  private static final String OF_PROCESS = "hirundo.temporary";

  private TemporaryFolders() {}

  /**
   * Creates a folder. Without a launcher, in a test for instance, it is below {@code java.io.tmpdir}.
   *
   * @param prefix of its name, which ends in a random number
   */
  public static Path create(String prefix) throws IOException {
    String ofProcess = System.getProperty(OF_PROCESS);
    return ofProcess == null
        ? Files.createTempDirectory("hirundo-" + prefix)
        : Files.createTempDirectory(Path.of(ofProcess), prefix);
  }
}
