package io.hirundo.launcher;

import java.util.List;

/** The framework did not start, or the command's output was not written. The message has one line per reason. */
final class LaunchException extends Exception {
    private static final long serialVersionUID = 1L;

    /** An invalid installation; {@code io.hirundo.ExitCode.CONFIGURATION} inside the framework. */
    static final int CONFIGURATION = 78;

    /** An invalid command line; {@code io.hirundo.ExitCode.USAGE} inside the framework. */
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

    /** Several reasons, one line each. */
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
