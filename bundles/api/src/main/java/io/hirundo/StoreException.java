package io.hirundo;

/** The store of remote checkpoint copies failed or could not be reached. The message names the store; try again later. */
public final class StoreException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        this(message, null);
    }

    public StoreException(String message, Throwable cause) {
        super(ExitCode.CHECKPOINT, message, cause);
    }
}
