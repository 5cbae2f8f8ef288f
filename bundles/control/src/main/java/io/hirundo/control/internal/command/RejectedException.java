package io.hirundo.control.internal.command;

/** The run rejected the request. The message is the run's reason, one line. */
final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RejectedException(String message) {
        super(message);
    }
}
