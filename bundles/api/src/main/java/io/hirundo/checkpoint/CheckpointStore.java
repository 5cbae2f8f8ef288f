package io.hirundo.checkpoint;

import org.osgi.annotation.versioning.ConsumerType;

/** A place away from the run where copies of its checkpoints are kept. Strategy kind {@code checkpoint-store}. */
@ConsumerType
public interface CheckpointStore {
  /**
   * Opens a run's copies; the caller closes the session. Asks the store nothing yet.
   *
   * @param run its name; copies of one run are nobody else's, and one session at a time changes them
   * @throws io.hirundo.ConfigurationException where what is needed to reach the store is not there, credentials for instance
   */
  StoreSession open(String run);
}
