package io.hirundo.checkpoint;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/** The open checkpoints of a run. All ranks must make the same calls in the same order. */
@ConsumerType
public interface CheckpointSession extends AutoCloseable {
    /**
     * Starts a save. Tensors may change when this returns. The checkpoint is durable on every rank or on none, as the result
     * reports. Another save may start before; saves become durable in order.
     */
    PendingSave save(TrainingState state);

    /**
     * Like {@link #save}, but always to storage, even if the strategy would keep this checkpoint in memory. For the end of a run
     * and for requested checkpoints.
     */
    default PendingSave saveDurably(TrainingState state) {
        return save(state);
    }

    /** Complete checkpoints, newest first. Includes those in memory as far as this node knows. */
    List<CheckpointInfo> list();

    /**
     * All checkpoint folders, newest first: those of {@link #list}, and those that cannot be loaded, with the reason. A resumed run
     * logs the latter.
     */
    default List<FoundCheckpoint> found() {
        return list().stream().map(whole -> new FoundCheckpoint(whole, "")).toList();
    }

    /**
     * Reads the values that {@link TrainingState#values} held.
     *
     * @throws io.hirundo.CheckpointException if the checkpoint is damaged; names the file
     */
    Map<String, Object> values(CheckpointInfo checkpoint);

    /**
     * Keys of the checkpoint's tensors; empty if unknown without reading them.
     *
     * @throws io.hirundo.CheckpointException if the checkpoint is damaged; names the file
     */
    default Optional<Set<String>> keys(CheckpointInfo checkpoint) {
        return Optional.empty();
    }

    /**
     * Fills the tensors of {@code into}, resharding if the saved layout differs. All ranks must call this, because ranks exchange
     * shards of a checkpoint in memory.
     *
     * @throws io.hirundo.ConfigurationException if a tensor is missing or has another shape or dtype, so that this and older
     *     checkpoints do not fit the configuration; names the tensor
     * @throws io.hirundo.CheckpointException if a tensor is damaged; names it. Tensors may then be partly filled
     */
    void load(CheckpointInfo checkpoint, List<StateShard> into);

    /**
     * The trainer has moved checkpoints into the folder or out of it, each with its folder. What names the newest one must name it again. Only
     * rank 0 is called.
     */
    default void checkpointsMoved() {}

    /** Waits for pending saves; after a failed collective, does not wait for ranks that no longer send heartbeats. */
    @Override
    void close();
}
