package io.hirundo.lib.plugin;

/** A plugin that cannot serve. The message is a phrase that says why, to follow the plugin's name and a colon. */
public final class UnusablePluginException extends Exception {
  private static final long serialVersionUID = 1L;

  UnusablePluginException(String message) {
    this(message, null);
  }

  UnusablePluginException(String message, Throwable cause) {
    super(message, cause);
  }
}
