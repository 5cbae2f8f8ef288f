package io.hirundo.launcher;

/** The framework could not be started as asked. The message is one line for the user. */
final class LaunchException extends Exception {
  private static final long serialVersionUID = 1L;

  /** A wrong installation; {@code io.hirundo.ExitCode.CONFIGURATION} inside the framework. */
  static final int EXIT_CODE = 78;

  LaunchException(String message) {
    super(message);
  }

  LaunchException(String message, Throwable cause) {
    super(message, cause);
  }
}
