package io.hirundo.command;

import org.osgi.annotation.versioning.ProviderType;

/** Whether the user requested a stop (Ctrl-C, SIGTERM). An OSGi service. Long operations poll it and end cleanly. Thread-safe. */
@ProviderType
public interface Interruption {
  boolean isRequested();

  /** Runs the action when a stop is requested, or immediately if it already was. Close the result to unregister. */
  Registration onRequest(Runnable action);

  /** Unregisters an {@link #onRequest} action. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
