package io.hirundo.pluginnew.internal;

import io.hirundo.StorageException;
import io.hirundo.lib.files.Deletion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Stream;

/** Writes a folder that appears whole or not at all. */
final class NewFolder {
  private NewFolder() {}

  /**
   * Writes it.
   *
   * @param files contents by path in the folder
   * @throws StorageException where something is there already, or when it cannot be written
   */
  static void write(Path folder, Map<String, String> files) {
    Path target = folder.toAbsolutePath().normalize();
    requireFree(target);
    try {
      Files.createDirectories(target.getParent());
      // Beside it, so that it is moved in one go.
      String unfinished = "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part";
      Path part = Files.createDirectory(target.resolveSibling(unfinished));
      try {
        for (Map.Entry<String, String> file : files.entrySet()) {
          Path path = part.resolve(file.getKey());
          Files.createDirectories(path.getParent());
          Files.writeString(path, file.getValue());
        }
        Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        Deletion.delete(part);
        throw e;
      }
    } catch (IOException e) {
      throw new StorageException("cannot write " + target + ": " + e + "; choose another folder with --directory", e);
    }
  }

  private static void requireFree(Path target) {
    if (Files.notExists(target, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> entries = Files.list(target)) {
      if (entries.findAny().isEmpty()) {
        return;
      }
    } catch (IOException e) {
      throw new StorageException(target + " is there and is no folder that can be read; choose another with --directory", e);
    }
    throw new StorageException(target + " is there and not empty; remove it or choose another folder with --directory");
  }
}
