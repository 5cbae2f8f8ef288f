package io.hirundo;

/** The configuration is wrong. The message names the JSON path, the value and the allowed values. */
public final class ConfigurationException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public ConfigurationException(String message) {
        this(message, null);
    }

    public ConfigurationException(String message, Throwable cause) {
        super(ExitCode.CONFIGURATION, message, cause);
    }
}
