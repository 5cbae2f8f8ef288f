package io.hirundo.checkpoint;

import org.osgi.annotation.versioning.ConsumerType;

/** How training state is saved and loaded. Strategy kind {@code checkpoint}. */
@ConsumerType
public interface CheckpointStrategy {
    /** Opens the run's checkpoints, on every rank, without collectives. The caller closes the session. */
    CheckpointSession open(CheckpointContext context);
}
