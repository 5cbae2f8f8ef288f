package io.hirundo.event;

import java.nio.file.Path;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Hears what happens in a run. Strategy kind {@code monitor}; any OSGi service of this type hears every run of the process
 * as well. Called on the training thread of rank 0, one event at a time: do long work elsewhere. What it throws is logged and
 * does not end the run. One that is chosen while the run goes on hears {@link TrainingEvent.RunStarted} then; one that is
 * {@link AutoCloseable} is closed when the run has no use for it any more.
 */
@ConsumerType
public interface TrainingListener {
  void on(TrainingEvent event);

  /**
   * Checks, before a device is opened, that what this will write for a run can be written. Makes and changes nothing.
   *
   * @param directory of the run, which may not exist yet
   * @throws io.hirundo.StorageException if not: the run is rejected
   */
  default void requireWritable(Path directory) {}
}
