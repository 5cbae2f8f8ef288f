package io.hirundo.event;

import io.hirundo.checkpoint.CheckpointInfo;
import java.nio.file.Path;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** What happened to a checkpoint of a run: on its way to storage, in a store, or in a restart. */
@ConsumerType
public interface CheckpointEvent extends TrainingEvent {
    /**
     * A checkpoint is durable, possibly several steps after its own; or, for a checkpoint in memory, complete in memory.
     *
     * @param checkpoint what was saved
     * @param saveNanos from the start of the save until the run noticed that it ended
     */
    record CheckpointSaved(CheckpointInfo checkpoint, long saveNanos) implements CheckpointEvent {}

    /**
     * An asynchronous save started; {@link CheckpointSaved} follows. Not sent for synchronous saves.
     *
     * @param step completed steps
     * @param stallNanos from the start of the save until training resumed
     */
    record CheckpointBegun(long step, long stallNanos) implements CheckpointEvent {}

    /**
     * A resumed run skipped a newer checkpoint because it cannot be loaded. Sent after {@link RunStarted}.
     *
     * @param step of the older checkpoint that the run resumes from
     * @param path of the skipped checkpoint
     * @param reason what is wrong with it
     */
    record CheckpointPassedOver(long step, Path path, String reason) implements CheckpointEvent {}

    /**
     * A resumed run and its checkpoint have different tensors, as the configuration allows by name. Sent after {@link RunStarted}.
     *
     * @param step of the checkpoint
     * @param path of the checkpoint
     * @param missing tensors that the checkpoint lacks; they keep their initial values
     * @param unexpected tensors that only the checkpoint has; they are ignored
     */
    record CheckpointTakenInPart(long step, Path path, List<String> missing, List<String> unexpected)
            implements CheckpointEvent {
        public CheckpointTakenInPart {
            missing = List.copyOf(missing);
            unexpected = List.copyOf(unexpected);
        }
    }

    /**
     * A checkpoint was copied to the store ({@code checkpoint.store}).
     *
     * @param step of the checkpoint, possibly several steps ago
     * @param place location of the run's copies: {@code s3://bucket/prefix/run}
     * @param bytes of its files
     * @param copyNanos duration of the copy in the background
     */
    record CheckpointCopied(long step, String place, long bytes, long copyNanos) implements CheckpointEvent {}

    /**
     * A checkpoint was not copied to the store. The run continues; the checkpoint itself is intact.
     *
     * @param step of the checkpoint
     * @param place intended location of the copy
     * @param reason the cause and its consequence
     */
    record CheckpointNotCopied(long step, String place, String reason) implements CheckpointEvent {}

    /**
     * The run has ended and waits for the copy of a checkpoint; sent periodically.
     *
     * @param step of the checkpoint
     * @param place location of the copy
     * @param doneBytes bytes stored so far
     * @param bytes total
     */
    record CheckpointCopying(long step, String place, long doneBytes, long bytes) implements CheckpointEvent {}

    /**
     * A resumed run fetched its checkpoint from the store, because it had none as new. Sent after {@link RunStarted}.
     *
     * @param step of the checkpoint
     * @param path local folder
     * @param place location of the copy
     * @param bytes of its files
     * @param fetchNanos duration
     */
    record CheckpointFetched(long step, Path path, String place, long bytes, long fetchNanos)
            implements CheckpointEvent {}
}
