package io.hirundo.train;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Stands by while a training goes on: watches the folders from which strategies and settings come, and lets people talk to the run
 * through its {@link RunControl}. An OSGi service, optional; each process of a run calls it.
 */
@ProviderType
public interface RunAttendant {
  /**
   * Begins to stand by; returns at once.
   *
   * @param prompt whether commands are read from this process's standard input
   * @return closed by the caller, when the run has ended
   */
  Attendance attend(boolean prompt);

  /** Ends an {@link #attend}. */
  interface Attendance extends AutoCloseable {
    @Override
    void close();
  }
}
