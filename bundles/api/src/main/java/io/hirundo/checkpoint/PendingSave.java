package io.hirundo.checkpoint;

import org.osgi.annotation.versioning.ConsumerType;

/** A save in progress, as one rank sees it. Thread-safe. */
@ConsumerType
public interface PendingSave {
    /**
     * Whether the checkpoint is durable; stays false if the save failed. Does not block. A checkpoint in memory ({@link
     * CheckpointInfo#isInMemory}) survives a crash of all processes or of one node, but no more.
     */
    boolean isDurable();

    /**
     * Whether the save has ended, successfully or not, so that {@link #awaitDurable} does not block. Asynchronous strategies
     * override it, so that a failure is reported at the next step rather than at the end of the run.
     */
    default boolean hasEnded() {
        return isDurable();
    }

    /**
     * Blocks until the checkpoint is durable.
     *
     * @throws io.hirundo.CheckpointException if it could not be written; an incomplete checkpoint is never visible
     */
    CheckpointInfo awaitDurable();
}
