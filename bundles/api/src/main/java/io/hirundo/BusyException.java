package io.hirundo;

/** Another process holds a resource. The message names it; wait for that process or end it. */
public final class BusyException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public BusyException(String message) {
        this(message, null);
    }

    public BusyException(String message, Throwable cause) {
        super(ExitCode.BUSY, message, cause);
    }
}
