package io.hirundo.lib.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Temporary folders that only this user can enter. They are below the process's folder, if the launcher created one. The launcher
 * removes that folder when the process ends, or at a later start after a kill.
 */
public final class TemporaryFolders {
  /** System property set by the launcher: the folder of this process. */
  private static final String OF_PROCESS = "hirundo.temporary";

  private TemporaryFolders() {}

  /**
   * Creates a folder. Without a launcher, as in tests, it is below {@code java.io.tmpdir}.
   *
   * @param prefix of its name; a random number follows
   */
  public static Path create(String prefix) throws IOException {
    String ofProcess = System.getProperty(OF_PROCESS);
    return ofProcess == null
        ? Files.createTempDirectory("hirundo-" + prefix)
        : Files.createTempDirectory(Path.of(ofProcess), prefix);
  }
}
