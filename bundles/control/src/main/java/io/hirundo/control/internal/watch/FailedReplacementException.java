package io.hirundo.control.internal.watch;

/**
 * A jar that cannot serve, found out when its bundle was no longer what it was. The message begins with what the bundle
 * is now.
 */
final class FailedReplacementException extends Exception {
  private static final long serialVersionUID = 1L;

  FailedReplacementException(String state, RefusedPluginException refusal) {
    super(state + ": " + refusal.getMessage(), refusal);
  }
}
