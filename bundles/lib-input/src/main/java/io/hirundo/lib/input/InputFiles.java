package io.hirundo.lib.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Checks and bounded reads of files from elsewhere.
 *
 * <p>To open a named pipe blocks until somebody writes to it, and a device may deliver bytes forever: both are rejected before
 * they are opened. Symbolic links are followed: what counts is the file behind them.
 */
public final class InputFiles {
  /** Bits of {@code st_mode} that hold the type of a file, and their values; see inode(7). */
  private static final int TYPE_MASK = 0170000;

  private static final int NAMED_PIPE = 0010000;
  private static final int CHARACTER_DEVICE = 0020000;
  private static final int BLOCK_DEVICE = 0060000;
  private static final int SOCKET = 0140000;

  private InputFiles() {}

  /**
   * Returns if the path is a regular file.
   *
   * @throws NoSuchFileException if there is none
   * @throws IrregularFileException if it is something else: a folder, a named pipe, a device, a socket, a link to itself
   */
  public static void requireRegular(Path file) throws IOException {
    BasicFileAttributes attributes = attributes(file);
    if (!attributes.isRegularFile()) {
      throw new IrregularFileException(file, attributes.isDirectory() ? "a folder" : kind(file));
    }
  }

  /**
   * The contents of a regular file.
   *
   * @param maxBytes how much is read into memory at most
   * @throws NoSuchFileException if there is no file
   * @throws IrregularFileException if it is no regular file
   * @throws FileTooLargeException if it is larger, also where it grows while it is read or does not know its size (as in /proc)
   */
  public static byte[] readAllBytes(Path file, int maxBytes) throws IOException {
    requireRegular(file);
    long size = Files.size(file);
    if (size > maxBytes) {
      throw new FileTooLargeException(file, maxBytes);
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(maxBytes);
      if (bytes.length == maxBytes && in.read() >= 0) {
        throw new FileTooLargeException(file, maxBytes);
      }
      return bytes;
    }
  }

  /**
   * The text of a regular file in UTF-8; bytes that are no UTF-8 become U+FFFD.
   *
   * @param maxBytes how much is read into memory at most
   * @throws IOException as {@link #readAllBytes}
   */
  public static String readString(Path file, int maxBytes) throws IOException {
    return new String(readAllBytes(file, maxBytes), StandardCharsets.UTF_8);
  }

  private static BasicFileAttributes attributes(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class);
    } catch (FileSystemException e) {
      // ELOOP has no exception of its own.
      if (Files.isSymbolicLink(file) && !(e instanceof NoSuchFileException || e instanceof AccessDeniedException)) {
        throw new IrregularFileException(file, "a symbolic link that leads to itself");
      }
      throw e;
    }
  }

  private static String kind(Path file) throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return "a special file";
    }
    int mode = (Integer) Files.getAttribute(file, "unix:mode", new LinkOption[0]);
    return switch (mode & TYPE_MASK) {
      case NAMED_PIPE -> "a named pipe";
      case CHARACTER_DEVICE, BLOCK_DEVICE -> "a device";
      case SOCKET -> "a socket";
      default -> "a special file";
    };
  }
}
