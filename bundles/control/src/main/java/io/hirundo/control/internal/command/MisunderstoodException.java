package io.hirundo.control.internal.command;

/** A command that does not make sense as it was typed. The message is one line that says how it is meant. */
final class MisunderstoodException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MisunderstoodException(String message) {
    super(message);
  }
}
