package io.hirundo;

/** A path could not be written. The message names it; free space or fix its permissions. */
public final class StorageException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public StorageException(String message) {
        this(message, null);
    }

    public StorageException(String message, Throwable cause) {
        super(ExitCode.STORAGE, message, cause);
    }
}
