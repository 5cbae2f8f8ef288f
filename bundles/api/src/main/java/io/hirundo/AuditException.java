package io.hirundo;

/**
 * The audit found results that rounding error does not explain, and a rollback to an earlier checkpoint was impossible or did not
 * help.
 */
public final class AuditException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public AuditException(String message) {
        super(ExitCode.AUDIT, message, null);
    }
}
