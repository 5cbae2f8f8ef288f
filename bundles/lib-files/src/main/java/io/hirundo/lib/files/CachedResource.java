package io.hirundo.lib.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that is unpacked from a bundle once and then used by all processes of this user, a native library for instance. */
public final class CachedResource {
  /** Opens what is packed. */
  @FunctionalInterface
  public interface Packed {
    InputStream open() throws IOException;
  }

  private CachedResource() {}

  /**
   * Unpacks, unless the file exists. Atomic: other processes may do the same at the same time. Missing folders are created for this
   * user only, so that nobody else can replace the file.
   *
   * @param file in a folder whose name says the version: an existing file is taken as it is
   * @throws IOException if it cannot be written; then there is no file
   */
  public static void unpack(Path file, Packed packed) throws IOException {
    if (Files.isRegularFile(file)) {
      return;
    }
    Folders.createPrivate(file.getParent());
    try (InputStream in = packed.open()) {
      AtomicFile.writeShared(file, in::transferTo);
    }
  }
}
