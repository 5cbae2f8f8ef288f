package io.hirundo.checkpoint;

import io.hirundo.model.ParameterPart;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A model that several ranks write together, each its own pieces, as one of them sees it. Belongs to the rank's thread. Knows no
 * collective: the callers see to it that one of them, the leader, has {@link #create created} the files before anyone writes, that
 * all have {@link #flush flushed} before the leader {@link #commit commits}, and that nobody writes any more when the leader
 * closes.
 */
@ConsumerType
public interface ModelWriting extends AutoCloseable {
  /**
   * The leader, first: makes what all write into, where it is no model yet. What an earlier write left half made is removed.
   *
   * @throws io.hirundo.StorageException when it cannot be made
   */
  void create();

  /**
   * Writes a piece of a tensor. All pieces of all ranks together are the model, each element once.
   *
   * @param part which piece
   * @param values in the tensor's data type, row by row; lent until this returns
   * @throws io.hirundo.StorageException when it cannot be written, or the leader's files are not seen from here
   */
  void write(ParameterPart part, MemorySegment values);

  /**
   * What was written here survives a crash.
   *
   * @throws io.hirundo.StorageException when that is not sure
   */
  void flush();

  /**
   * The leader, last: the model appears, in place of one that was there. Whatever {@code check} throws prevents that.
   *
   * @param check is given the written model, which is closed after it
   * @throws io.hirundo.StorageException when it cannot appear
   */
  void commit(Consumer<ModelReader> check);

  /** Gives back what is open here; the leader, unless it has committed, removes what it created as well. */
  @Override
  void close();
}
