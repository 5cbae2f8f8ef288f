package io.hirundo.lib.files;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Requires folders that are not symbolic links, so that a planted link cannot redirect writes. */
public final class RealFolders {
  private RealFolders() {}

  /**
   * Returns if the path is a folder and not a link.
   *
   * @throws java.nio.file.NoSuchFileException if it does not exist
   * @throws FileSystemException if it is a link, or not a folder
   */
  public static void require(Path folder) throws IOException {
    var attributes = Files.readAttributes(folder, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (attributes.isSymbolicLink()) {
      throw new FileSystemException(folder.toString(), null, "is a symbolic link, through which nothing is written; remove it");
    }
    if (!attributes.isDirectory()) {
      throw new FileSystemException(folder.toString(), null, "is not a folder");
    }
  }
}
