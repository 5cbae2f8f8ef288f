package io.hirundo.tokenizerhf.internal.safety;

/** A regular expression that the native library must not get. The message continues "the expression ...". */
final class UnsafePatternException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnsafePatternException(String message) {
    super(message);
  }
}
