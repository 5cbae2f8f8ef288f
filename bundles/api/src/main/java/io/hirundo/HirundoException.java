package io.hirundo;

/**
 * A failure with a remedy. The message is one line: what is wrong, where, and what to do. The command line prints it unchanged
 * and exits with {@link #exitCode()}.
 */
public abstract class HirundoException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    protected HirundoException(int exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The process's exit code for this failure; see {@link ExitCode}. */
    public final int exitCode() {
        return exitCode;
    }
}
