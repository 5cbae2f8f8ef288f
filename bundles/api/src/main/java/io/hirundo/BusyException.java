package io.hirundo;

/** Wait for the other process or end it: the message names what it holds. */
public final class BusyException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public BusyException(String message) {
    this(message, null);
  }

  public BusyException(String message, Throwable cause) {
    super(ExitCode.BUSY, message, cause);
  }
}
