package io.hirundo.command;

import org.osgi.annotation.versioning.ProviderType;

/** Runs a command from another command. An OSGi service. */
@ProviderType
public interface CommandRunner {
    /**
     * Runs one command as if typed on the command line.
     *
     * @return its exit code; failures have been printed
     */
    int run(String... arguments);
}
