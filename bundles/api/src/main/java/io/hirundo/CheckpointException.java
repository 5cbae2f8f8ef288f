package io.hirundo;

/** Fall back to an older checkpoint: the message names the damaged or missing part. */
public final class CheckpointException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public CheckpointException(String message) {
    this(message, null);
  }

  public CheckpointException(String message, Throwable cause) {
    super(ExitCode.CHECKPOINT, message, cause);
  }
}
