package io.hirundo.lib.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file that is unpacked from a bundle once and then used by all processes of this user, a native library for instance. */
public final class CachedResource {
  /** Opens what is packed. */
  @FunctionalInterface
  public interface Packed {
    InputStream open() throws IOException;
  }

  private static final int MOST_DIGITS = 20;

  private CachedResource() {}

  /**
   * Unpacks, unless the file exists and is complete: {@code FILE.size} holds its size in bytes. Atomic: other processes may do the same
   * at the same time. Missing folders are created for this user only, so that nobody else can replace the file.
   *
   * @param file in a folder whose name says the version: contents of the right size are taken as they are
   * @throws IOException if it cannot be written; an incomplete file of before may then remain
   */
  public static void unpack(Path file, Packed packed) throws IOException {
    Path size = file.resolveSibling(file.getFileName() + ".size");
    if (Files.isRegularFile(file) && Files.size(file) == unpackedBytes(size)) {
      return;
    }
    Folders.createPrivate(file.getParent());
    long[] bytes = new long[1];
    try (InputStream in = packed.open()) {
      AtomicFile.writeShared(file, out -> bytes[0] = in.transferTo(out));
    }
    AtomicFile.writeShared(size, out -> out.write(Long.toString(bytes[0]).getBytes(StandardCharsets.US_ASCII)));
  }

  /** -1 if nothing tells. */
  private static long unpackedBytes(Path size) throws IOException {
    try (InputStream in = Files.newInputStream(size)) {
      return Long.parseLong(new String(in.readNBytes(MOST_DIGITS), StandardCharsets.US_ASCII));
    } catch (NoSuchFileException | NumberFormatException e) {
      return -1;
    }
  }
}
