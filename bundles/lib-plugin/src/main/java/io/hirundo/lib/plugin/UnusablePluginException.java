package io.hirundo.lib.plugin;

/** A plugin cannot be used. The message is a phrase that follows the plugin's name and a colon. */
public final class UnusablePluginException extends Exception {
    private static final long serialVersionUID = 1L;

    UnusablePluginException(String message) {
        this(message, null);
    }

    UnusablePluginException(String message, Throwable cause) {
        super(message, cause);
    }
}
