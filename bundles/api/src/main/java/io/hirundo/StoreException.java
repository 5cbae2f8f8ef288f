package io.hirundo;

/** Try again later: the message names the store of copies of checkpoints that could not be reached, or in which something failed. */
public final class StoreException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message) {
    this(message, null);
  }

  public StoreException(String message, Throwable cause) {
    super(ExitCode.CHECKPOINT, message, cause);
  }
}
