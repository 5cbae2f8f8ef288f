package io.hirundo.checkpoint;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/** A run's checkpoints, open. Every rank makes the same calls in the same order. */
@ConsumerType
public interface CheckpointSession extends AutoCloseable {
  /**
   * Saves. Tensors may change again when this returns; the checkpoint is good once the result says so, on every rank or on none.
   * Another may be begun before; they become durable in that order.
   */
  PendingSave save(TrainingState state);

  /**
   * As {@link #save}, and onto storage, also where the strategy would have kept this one in memory: for the end of a run, and for
   * whoever asks for a checkpoint.
   */
  default PendingSave saveDurably(TrainingState state) {
    return save(state);
  }

  /** Checkpoints that are whole, newest first; those in memory too, as far as can be known without asking other nodes. */
  List<CheckpointInfo> list();

  /**
   * All that should be checkpoints, newest first: those of {@link #list}, and those that cannot be loaded, with the reason. A
   * resumed run does not pass these over without a word.
   */
  default List<FoundCheckpoint> found() {
    return list().stream().map(whole -> new FoundCheckpoint(whole, "")).toList();
  }

  /**
   * Reads a checkpoint's values: step-independent ones that {@link TrainingState#values} held.
   *
   * @throws io.hirundo.CheckpointException when it is damaged; names the file
   */
  Map<String, Object> values(CheckpointInfo checkpoint);

  /**
   * Keys of the tensors that a checkpoint has; empty where that is not known without reading them.
   *
   * @throws io.hirundo.CheckpointException when it is damaged; names the file
   */
  default Optional<Set<String>> keys(CheckpointInfo checkpoint) {
    return Optional.empty();
  }

  /**
   * Fills the tensors of {@code into}, whose layout may differ from the one that saved. Of a checkpoint that is in memory ranks may
   * have to give each other pieces: all of them call this.
   *
   * @throws io.hirundo.ConfigurationException when a tensor is missing, or of another shape or data type: the checkpoint is not of this
   *     configuration, and neither are older ones; names the tensor
   * @throws io.hirundo.CheckpointException when one is damaged; names it. Tensors may be partly filled then.
   */
  void load(CheckpointInfo checkpoint, List<StateShard> into);

  /** Waits for saves under way; where collectives have ended with an error, not for ranks that give no sign of life. */
  @Override
  void close();
}
