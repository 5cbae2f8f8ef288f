package io.hirundo.lib.output;

import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Checks of output files and folders before the work whose result they are to hold. They make and change nothing, so that what is
 * rejected leaves no trace. What happens later (a full disk, a folder that somebody removes) still has to be handled.
 *
 * <p>An output file is a regular file: a named pipe without a reader would block the program, a device would lose what is written.
 */
public final class OutputFiles {
  private static final String REMOVE = "; remove it or choose another path";
  private static final String MAKE_ROOM = "; make room or change its permissions";

  private OutputFiles() {}

  /**
   * Returns if a file can be created or replaced.
   *
   * @throws IrregularFileException if a folder, a named pipe, a device or a socket is in its place
   * @throws UnwritableException if permissions or its folder do not allow it
   */
  public static void requireFile(Path file) throws IOException {
    if (Files.exists(file)) {
      InputFiles.requireRegular(file);
      requireWritable(file);
    } else if (Files.isSymbolicLink(file)) {
      throw new UnwritableException(file, "is a symbolic link to nothing");
    } else {
      requireFolder(parent(file));
    }
  }

  /**
   * As {@link #requireFile}, for a file whose folder is not made with it.
   *
   * @throws NoSuchFileException if there is no folder for it
   */
  public static void requireFileInFolder(Path file) throws IOException {
    requireFile(file);
    if (!Files.exists(parent(file))) {
      throw new NoSuchFileException(file.toString());
    }
  }

  /**
   * As {@link #requireFile}, and rejects a symbolic link: for files under names that Hirundo chose, in which nobody expects a link.
   *
   * @throws UnwritableException also if the file is a symbolic link, whatever it leads to
   */
  public static void requireOwnFile(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      throw isLink(file);
    }
    requireFile(file);
  }

  static UnwritableException isLink(Path file) {
    return new UnwritableException(file, "is a symbolic link, which Hirundo does not write through");
  }

  /**
   * Returns if files can be created in a folder, which need not exist.
   *
   * @throws UnwritableException if it or a folder above it is a file, or permissions do not allow it
   */
  public static void requireFolder(Path folder) throws IOException {
    Path existing = folder.toAbsolutePath();
    while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    if (!Files.isDirectory(existing)) {
      throw new UnwritableException(existing, Files.exists(existing) ? "is a file, not a folder" : "is a symbolic link to nothing");
    }
    requireWritable(existing);
  }

  private static void requireWritable(Path path) throws IOException {
    if (!Files.isWritable(path)) {
      throw new UnwritableException(path, "is not writable for this user");
    }
  }

  private static Path parent(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? file.toAbsolutePath() : parent;
  }

  /**
   * Says why a path could not be written, and the remedy: {@code PATH: it is a folder, not a regular file; remove it or choose
   * another path}. Exceptions of file systems often say a path and nothing else.
   */
  public static String explain(Path path, IOException failure) {
    boolean isOfPath = failure instanceof FileSystemException at && path.toString().equals(at.getFile());
    return path + ": "
        + switch (failure) {
          case IrregularFileException irregular -> (isOfPath ? "it " + irregular.getReason() : irregular.getMessage()) + REMOVE;
          case UnwritableException unwritable -> (isOfPath ? "it " + unwritable.getReason() : unwritable.getMessage()) + REMOVE;
          case NoSuchFileException gone -> "there is no folder for it; make " + Path.of(gone.getFile()).toAbsolutePath().getParent();
          case AccessDeniedException denied -> "permission denied; change the permissions of " + denied.getFile();
          case FileAlreadyExistsException conflict -> conflict.getFile() + " is in the way" + REMOVE;
          case FileSystemException other when other.getReason() != null ->
              (isOfPath ? "" : other.getFile() + ": ") + other.getReason() + MAKE_ROOM;
          default -> failure.getMessage() + " (" + failure.getClass().getSimpleName() + ")" + MAKE_ROOM;
        };
  }
}
