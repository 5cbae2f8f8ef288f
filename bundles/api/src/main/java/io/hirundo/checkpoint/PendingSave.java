package io.hirundo.checkpoint;

import org.osgi.annotation.versioning.ConsumerType;

/** A save under way. */
@ConsumerType
public interface PendingSave {
  boolean isDurable();

  /**
   * Blocks until the checkpoint survives a crash.
   *
   * @throws io.hirundo.CheckpointException when it could not be written; nothing half-made is left visible
   */
  CheckpointInfo awaitDurable();
}
