package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import java.util.List;

/** A save by the ranks of this process, in progress or complete. Thread-safe for readers. */
final class RunSave {
    private final long beginNanos;
    private final long stallNanos;
    private volatile List<PendingSave> parts;
    private volatile CheckpointSaved saved;
    private volatile CheckpointException failure;

    /** {@code parts}: one per rank of this process. Training has waited for them since {@code beginNanos}. */
    RunSave(long beginNanos, List<PendingSave> parts) {
        this.beginNanos = beginNanos;
        this.parts = List.copyOf(parts);
        this.stallNanos = System.nanoTime() - beginNanos;
        if (hasEnded()) {
            end(stallNanos);
        }
    }

    /** How long training was blocked by the save. */
    long stallNanos() {
        return stallNanos;
    }

    boolean hasEnded() {
        return parts.stream().allMatch(PendingSave::hasEnded);
    }

    /** Whether the save has failed on a rank of this process. */
    boolean hasFailed() {
        return failure != null || parts.stream().anyMatch(part -> part.hasEnded() && !part.isDurable());
    }

    /** Waits for the end and releases the strategy's objects. */
    void end() {
        if (!parts.isEmpty()) {
            awaitAll();
            end(System.nanoTime() - beginNanos);
        }
    }

    /**
     * The outcome; waits for it.
     *
     * @throws CheckpointException if the save failed
     */
    CheckpointSaved outcome() {
        end();
        if (failure != null) {
            throw failure;
        }
        return saved;
    }

    private void awaitAll() {
        for (PendingSave part : parts) {
            try {
                part.awaitDurable();
            } catch (CheckpointException known) {
                // Thrown again below, when no rank writes any more.
            }
        }
    }

    /** Called when all parts have ended. */
    private void end(long saveNanos) {
        try {
            CheckpointInfo info = null;
            for (PendingSave part : parts.reversed()) {
                info = part.awaitDurable();
            }
            saved = new CheckpointSaved(info, saveNanos);
        } catch (CheckpointException failed) {
            failure = failed;
        }
        parts = List.of();
    }
}
