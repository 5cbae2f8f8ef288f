package io.hirundo;

/** Fix the configuration: the message names the JSON path, the value and what is allowed. */
public final class ConfigurationException extends HirundoException {
  private static final long serialVersionUID = 1L;

  public ConfigurationException(String message) {
    this(message, null);
  }

  public ConfigurationException(String message, Throwable cause) {
    super(ExitCode.CONFIGURATION, message, cause);
  }
}
