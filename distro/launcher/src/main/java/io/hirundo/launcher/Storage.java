package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Where the framework unpacks its bundles: one folder a process, gone with it, so that many processes run side by side
 * and none finds what another left.
 */
record Storage(Path folder) implements AutoCloseable {
  static Storage create() throws IOException {
    return new Storage(Files.createTempDirectory("hirundo-"));
  }

  /** Deletes what can be deleted: nobody waits for an error about a temporary folder. */
  @Override
  public void close() {
    try {
      Files.walkFileTree(folder, new Deletion());
    } catch (IOException e) {
      System.err.println("hirundo: could not remove " + folder + ": " + e.getMessage());
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
