package io.hirundo;

/** A checkpoint is damaged or incomplete. The message names the damaged or missing part; fall back to an older checkpoint. */
public final class CheckpointException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public CheckpointException(String message) {
        this(message, null);
    }

    public CheckpointException(String message, Throwable cause) {
        super(ExitCode.CHECKPOINT, message, cause);
    }
}
