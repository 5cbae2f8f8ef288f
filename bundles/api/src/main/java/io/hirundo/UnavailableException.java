package io.hirundo;

/**
 * A strategy was uninstalled and did not come back in time. The message names it; install it again and continue with {@code
 * --resume}. The run saves what it can without the strategy.
 */
public final class UnavailableException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public UnavailableException(String message) {
        super(ExitCode.UNAVAILABLE, message, null);
    }
}
