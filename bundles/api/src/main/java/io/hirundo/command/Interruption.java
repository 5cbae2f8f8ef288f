package io.hirundo.command;

import org.osgi.annotation.versioning.ProviderType;

/** Whether the user asked to stop (Ctrl-C, SIGTERM). An OSGi service. Long work asks often and ends cleanly. Thread-safe. */
@ProviderType
public interface Interruption {
  boolean isRequested();

  /** Runs the action at once when the stop is asked for, or now if it already was. Close to forget it. */
  Registration onRequest(Runnable action);

  /** Undoes an {@link #onRequest}. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
