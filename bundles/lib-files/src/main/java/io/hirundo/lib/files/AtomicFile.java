package io.hirundo.lib.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Replaces a file as one step: whoever reads it, even after a crash, finds the old contents or the new ones. */
public final class AtomicFile {
  private static final String PART = ".part";

  private AtomicFile() {}

  /**
   * Writes {@code FILE.part} beside the file, syncs it, and moves it in place of the file. A symbolic link that somebody put there is
   * replaced, and never written through: that goes for the file and for its part.
   *
   * @param file in a folder that exists
   * @throws IOException if it cannot be written; the file is then as it was, and the part is gone
   */
  public static void write(Path file, byte[] contents) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path part = absolute.resolveSibling(absolute.getFileName() + PART);
    Deletion.delete(part);
    try {
      try (FileChannel channel = FileChannel.open(
          part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
        for (ByteBuffer rest = ByteBuffer.wrap(contents); rest.hasRemaining(); ) {
          channel.write(rest);
        }
        channel.force(true);
      }
      Files.move(part, absolute, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
    syncNames(absolute.getParent());
  }

  private static void syncNames(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
