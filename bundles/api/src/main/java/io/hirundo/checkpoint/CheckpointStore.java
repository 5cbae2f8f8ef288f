package io.hirundo.checkpoint;

import org.osgi.annotation.versioning.ConsumerType;

/** A remote store for copies of checkpoints. Strategy kind {@code checkpoint-store}. */
@ConsumerType
public interface CheckpointStore {
    /**
     * Opens the copies of a run without contacting the store. The caller closes the session.
     *
     * @param run its name; must be unique in the store, and only one session at a time may change its copies
     * @throws io.hirundo.ConfigurationException if something needed to reach the store is missing, for instance credentials
     */
    StoreSession open(String run);
}
