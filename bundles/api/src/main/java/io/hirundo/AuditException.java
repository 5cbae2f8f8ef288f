package io.hirundo;

/** The audit found results that rounding does not explain, and going back to an earlier checkpoint is not possible, or did not help. */
public final class AuditException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public AuditException(String message) {
    super(ExitCode.AUDIT, message, null);
  }
}
