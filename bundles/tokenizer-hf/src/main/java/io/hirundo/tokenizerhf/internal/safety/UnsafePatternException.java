package io.hirundo.tokenizerhf.internal.safety;

/** An unsafe regular expression. The message completes "the expression ...". */
final class UnsafePatternException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnsafePatternException(String message) {
        super(message);
    }
}
