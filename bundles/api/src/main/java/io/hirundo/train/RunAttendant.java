package io.hirundo.train;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Serves a running training: watches the folders with plugins and settings, and connects prompts to the run's {@link RunControl}.
 * An optional OSGi service; each process of a run calls it.
 */
@ProviderType
public interface RunAttendant {
    /**
     * Starts serving; returns immediately.
     *
     * @param prompt whether to read commands from this process's standard input
     * @return closed by the caller when the run has ended
     */
    Attendance attend(boolean prompt);

    /** Stops what {@link #attend} started. */
    interface Attendance extends AutoCloseable {
        @Override
        void close();
    }
}
