package io.hirundo.tokenizerhf.internal;

import io.hirundo.StorageException;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes files that are seen whole or not at all. */
public final class WholeFile {
  private WholeFile() {}

  /**
   * Writes or replaces a file, and makes its folder where there is none.
   *
   * @throws StorageException where that fails; what was there before is still there
   */
  public static void write(Path file, byte[] bytes) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Path part = partOf(file);
      try {
        try (var channel = FileChannel.open(
            part, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
          var buffer = ByteBuffer.wrap(bytes);
          while (buffer.hasRemaining()) {
            channel.write(buffer);
          }
          // Otherwise a power cut could leave the new name with nothing behind it.
          channel.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw new StorageException("cannot write " + OutputFiles.explain(file, e), e);
    }
  }

  /** @throws StorageException where {@link #write} would fail, before the work whose result it writes */
  public static void requireWritable(Path file) {
    try {
      OutputFiles.requireFile(file);
      OutputFiles.requireFile(partOf(file));
    } catch (IOException e) {
      throw new StorageException("cannot write " + OutputFiles.explain(file, e), e);
    }
  }

  private static Path partOf(Path file) {
    return file.resolveSibling(file.getFileName() + ".part");
  }

  /** @throws StorageException where there is one that cannot be deleted */
  public static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new StorageException("cannot delete " + file + ": " + e + ": fix permissions there", e);
    }
  }
}
