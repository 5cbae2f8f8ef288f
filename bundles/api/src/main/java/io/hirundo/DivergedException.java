package io.hirundo;

/**
 * Continue from an earlier checkpoint with gentler settings: the message names the step whose loss or gradient is not a
 * number.
 */
public final class DivergedException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public DivergedException(String message) {
    super(ExitCode.DIVERGED, message, null);
  }
}
