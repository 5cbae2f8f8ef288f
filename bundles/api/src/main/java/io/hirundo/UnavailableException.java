package io.hirundo;

/**
 * Bring the strategy back and continue with {@code --resume}: the message names what has gone and was waited for. What could
 * be saved without it is saved.
 */
public final class UnavailableException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public UnavailableException(String message) {
    super(ExitCode.UNAVAILABLE, message, null);
  }
}
