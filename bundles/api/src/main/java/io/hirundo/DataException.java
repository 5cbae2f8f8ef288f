package io.hirundo;

/** The input data is wrong. The message names the file and what is wrong with it. */
public final class DataException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public DataException(String message) {
        this(message, null);
    }

    public DataException(String message, Throwable cause) {
        super(ExitCode.DATA, message, cause);
    }
}
