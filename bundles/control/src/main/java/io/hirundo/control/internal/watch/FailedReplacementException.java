package io.hirundo.control.internal.watch;

/**
 * A replacement jar failed after its bundle was already changed. The message starts with the bundle's state now.
 */
final class FailedReplacementException extends Exception {
    private static final long serialVersionUID = 1L;

    FailedReplacementException(String state, RejectedPluginException rejection) {
        super(state + ": " + rejection.getMessage(), rejection);
    }
}
