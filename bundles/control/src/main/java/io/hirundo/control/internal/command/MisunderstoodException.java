package io.hirundo.control.internal.command;

/** A command with invalid syntax. The message is one line and shows the right syntax. */
final class MisunderstoodException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MisunderstoodException(String message) {
        super(message);
    }
}
