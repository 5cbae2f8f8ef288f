package io.hirundo;

/**
 * The loss or the gradient norm is NaN. The message names the step; continue from an earlier checkpoint with a lower learning
 * rate or stronger clipping.
 */
public final class DivergedException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public DivergedException(String message) {
        super(ExitCode.DIVERGED, message, null);
    }
}
