package io.hirundo.control.internal.watch;

import io.hirundo.Reason;
import org.osgi.framework.BundleException;

/** A rejected plugin jar. The message completes a sentence that starts with its name. */
final class RejectedPluginException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whether it lacks a requirement that another bundle may provide. */
    private final boolean unresolved;

    RejectedPluginException(String message, Throwable cause) {
        this(message, cause, false);
    }

    private RejectedPluginException(String message, Throwable cause, boolean unresolved) {
        super(message, cause);
        this.unresolved = unresolved;
    }

    boolean isUnresolved() {
        return unresolved;
    }

    /** Uses the cause of a framework exception: only the cause names what a bundle threw. */
    static RejectedPluginException because(Throwable failure) {
        // The framework repeats the message as a list.
        String message = firstLine(failure).replaceFirst(" Unresolved requirements: .*", "");
        Throwable cause = failure.getCause();
        return new RejectedPluginException(
                cause == null ? message : message + ": " + firstLine(cause),
                failure,
                failure instanceof BundleException rejected && rejected.getType() == BundleException.RESOLVE_ERROR);
    }

    private static String firstLine(Throwable failure) {
        String message = Reason.of(failure);
        return message.lines().findFirst().orElse("").strip();
    }
}
