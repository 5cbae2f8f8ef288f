package io.hirundo.checkpoint;

import org.osgi.annotation.versioning.ConsumerType;

/** How training state is saved. Strategy kind {@code checkpoint}. */
@ConsumerType
public interface CheckpointStrategy {
  /** Opens the run's checkpoints, on every rank and without collectives. The caller closes the session. */
  CheckpointSession open(CheckpointContext context);
}
