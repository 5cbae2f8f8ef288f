package io.hirundo;

/** Form the group again: the message names the silent or differing rank, the collective and its sequence number. */
public final class CommunicationException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public CommunicationException(String message) {
    this(message, null);
  }

  public CommunicationException(String message, Throwable cause) {
    super(ExitCode.COMMUNICATION, message, cause);
  }
}
