package io.hirundo.checkpoint;

import org.osgi.annotation.versioning.ConsumerType;

/** A save under way, as one rank sees it. Thread-safe. */
@ConsumerType
public interface PendingSave {
  /**
   * Whether the checkpoint survives a crash; stays false when the save failed. Does not wait. Of one that is kept in memory
   * ({@link CheckpointInfo#isInMemory}) a crash of all processes, or of one node, and no more.
   */
  boolean isDurable();

  /**
   * Whether the save has come to its end, good or bad, so that {@link #awaitDurable} does not wait. Strategies that write while
   * training goes on say so: a failure is then told after the step in which it happened, and not when the run ends.
   */
  default boolean hasEnded() {
    return isDurable();
  }

  /**
   * Blocks until the checkpoint survives a crash.
   *
   * @throws io.hirundo.CheckpointException when it could not be written; nothing half-made is left visible
   */
  CheckpointInfo awaitDurable();
}
