package io.hirundo.lib.output;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Nothing can be written to a path, because of what is there or of its permissions. */
public final class UnwritableException extends FileSystemException {
  private static final long serialVersionUID = 1L;

  UnwritableException(Path path, String reason) {
    super(path.toString(), null, reason);
  }

  /** {@code PATH is a file, not a folder}. */
  @Override
  public String getMessage() {
    return getFile() + " " + getReason();
  }
}
