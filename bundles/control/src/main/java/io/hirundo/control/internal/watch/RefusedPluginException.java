package io.hirundo.control.internal.watch;

/** A jar that cannot serve. The message is the rest of a sentence that begins with its name. */
final class RefusedPluginException extends Exception {
  private static final long serialVersionUID = 1L;

  RefusedPluginException(String message, Throwable cause) {
    super(message, cause);
  }

  /** With the cause of what the framework says, which alone names what a bundle threw. */
  static RefusedPluginException because(Throwable failure) {
    // The framework says everything twice, the second time as a list.
    String message = firstLine(failure).replaceFirst(" Unresolved requirements: .*", "");
    Throwable cause = failure.getCause();
    return new RefusedPluginException(cause == null ? message : message + " " + cause.getClass().getSimpleName() + ": " + firstLine(cause), failure);
  }

  private static String firstLine(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage().lines().findFirst().orElse("").strip();
  }
}
