package io.hirundo;

/** Make room or fix permissions: the message names the path that could not be written. */
public final class StorageException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public StorageException(String message) {
    this(message, null);
  }

  public StorageException(String message, Throwable cause) {
    super(ExitCode.STORAGE, message, cause);
  }
}
