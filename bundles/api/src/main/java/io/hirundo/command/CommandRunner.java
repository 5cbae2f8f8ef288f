package io.hirundo.command;

import org.osgi.annotation.versioning.ProviderType;

/** Runs commands from commands. An OSGi service. */
@ProviderType
public interface CommandRunner {
  /**
   * Runs one command as if it had been typed.
   *
   * @return its exit code; failures were printed
   */
  int run(String... arguments);
}
