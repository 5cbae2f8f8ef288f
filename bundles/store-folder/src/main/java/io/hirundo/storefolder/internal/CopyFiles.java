package io.hirundo.storefolder.internal;

import io.hirundo.storefolder.internal.CopyIndex.CopiedFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Files that are copied, synced and summed. An interrupt ends all of it with an {@link IOException}. */
final class CopyFiles {
  private static final int BUFFER_BYTES = 1 << 20;

  private CopyFiles() {}

  /** Names of all files below a folder, with {@code /}, in order. */
  static List<String> names(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      return paths.filter(Files::isRegularFile).map(file -> folder.relativize(file).toString().replace('\\', '/')).sorted().toList();
    }
  }

  /** Reads all files of a folder. */
  static CopyIndex index(Path folder, long step) throws IOException {
    var files = new ArrayList<CopiedFile>();
    for (String name : names(folder)) {
      files.add(read(folder.resolve(name), name, OutputStream.nullOutputStream(), done -> {}));
    }
    return new CopyIndex(step, files);
  }

  /** Whether the file has these contents; reads it where its length is right. */
  static boolean has(Path folder, CopiedFile file) throws IOException {
    Path path = folder.resolve(file.name());
    return Files.isRegularFile(path)
        && Files.size(path) == file.bytes()
        && read(path, file.name(), OutputStream.nullOutputStream(), done -> {}).equals(file);
  }

  /** Copies and syncs a file; returns what was read. {@code done} is told how many bytes are written. */
  static CopiedFile copy(Path from, Path to, String name, LongConsumer done) throws IOException {
    Path target = to.resolve(name);
    Files.createDirectories(target.getParent());
    try (FileChannel output =
        FileChannel.open(
            target, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
      CopiedFile read = read(from.resolve(name), name, Channels.newOutputStream(output), done);
      output.force(true);
      return read;
    }
  }

  private static CopiedFile read(Path file, String name, OutputStream into, LongConsumer done) throws IOException {
    var crc = new CRC32C();
    var buffer = ByteBuffer.allocate(BUFFER_BYTES);
    long bytes = 0;
    try (FileChannel input = FileChannel.open(file, StandardOpenOption.READ)) {
      while (input.read(buffer.clear()) >= 0) {
        crc.update(buffer.array(), 0, buffer.position());
        into.write(buffer.array(), 0, buffer.position());
        bytes += buffer.position();
        done.accept(bytes);
      }
    }
    return new CopiedFile(name, bytes, (int) crc.getValue());
  }

  /** Writes a small file whole or not at all, in the place of another. */
  static void replace(Path file, String text) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel output =
        FileChannel.open(
            fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
      Channels.newOutputStream(output).write(text.getBytes(StandardCharsets.UTF_8));
      output.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    syncFolder(file.getParent());
  }

  /** Syncs a file's contents. */
  static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Syncs the names in a folder and in those below it. */
  static void syncFolders(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path below : paths.filter(Files::isDirectory).toList()) {
        syncFolder(below);
      }
    }
  }

  static void syncFolder(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Deletes a file, or a folder with all that is in it; nothing where there is none. */
  static void delete(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(path)) {
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
