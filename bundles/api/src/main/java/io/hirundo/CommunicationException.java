package io.hirundo;

/**
 * A collective failed. The message names the silent or differing rank, the collective and its sequence number; restart the
 * process group.
 */
public final class CommunicationException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public CommunicationException(String message) {
        this(message, null);
    }

    public CommunicationException(String message, Throwable cause) {
        super(ExitCode.COMMUNICATION, message, cause);
    }
}
