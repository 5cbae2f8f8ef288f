package io.hirundo.launcher;

import java.util.List;

/** The framework could not be started as asked, or the command's result did not arrive. The message is one line for the user, or one for each reason. */
final class LaunchException extends Exception {
  private static final long serialVersionUID = 1L;

  /** A wrong installation; {@code io.hirundo.ExitCode.CONFIGURATION} inside the framework. */
  static final int CONFIGURATION = 78;

  /** A command line that cannot be understood; {@code io.hirundo.ExitCode.USAGE} inside the framework. */
  static final int USAGE = 2;

  /** Output that could not be written; {@code io.hirundo.ExitCode.STORAGE} inside the framework. */
  static final int STORAGE = 73;

  private final int exitCode;

  LaunchException(String message) {
    this(message, null);
  }

  LaunchException(String message, Throwable cause) {
    this(CONFIGURATION, message, cause);
  }

  private LaunchException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** Several reasons, a line for each. */
  static LaunchException of(List<String> lines) {
    return new LaunchException(String.join("\nhirundo: ", lines));
  }

  static LaunchException misunderstood(String message) {
    return new LaunchException(USAGE, message, null);
  }

  static LaunchException unwritten(String message) {
    return new LaunchException(STORAGE, message, null);
  }

  static LaunchException interrupted() {
    return new LaunchException(Interrupts.EXIT_CODE, "a signal ended the start", null);
  }

  int exitCode() {
    return exitCode;
  }
}
