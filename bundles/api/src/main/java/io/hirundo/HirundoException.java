package io.hirundo;

/**
 * A failure with a remedy. The message is one line that says what is wrong, where, and what to do; the command line
 * prints it as it is and ends with {@link #exitCode()}.
 */
public abstract class HirundoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  protected HirundoException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** The exit code of a process that this failure ends; see {@link ExitCode}. */
  public final int exitCode() {
    return exitCode;
  }
}
