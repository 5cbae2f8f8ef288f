package io.hirundo.event;

import java.nio.file.Path;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Receives the events of a run. Strategy kind {@code monitor}; OSGi services of this type also receive the events of every run in
 * the process. Called on the training thread of rank 0, one event at a time: run long work elsewhere. Exceptions are logged and
 * do not end the run. A listener added to a running training first receives {@link TrainingEvent.RunStarted}. An {@link
 * AutoCloseable} listener is closed when the run no longer needs it.
 */
@ConsumerType
public interface TrainingListener {
    void on(TrainingEvent event);

    /**
     * Checks, before a device is opened, that this listener's output files can be written. Creates and changes nothing.
     *
     * @param directory of the run, which may not exist yet
     * @throws io.hirundo.StorageException if not; the run is rejected
     */
    default void requireWritable(Path directory) {}
}
