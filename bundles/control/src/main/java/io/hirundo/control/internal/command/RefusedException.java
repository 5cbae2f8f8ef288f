package io.hirundo.control.internal.command;

/** The run answered no. The message is the run's own reason, one line. */
final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
