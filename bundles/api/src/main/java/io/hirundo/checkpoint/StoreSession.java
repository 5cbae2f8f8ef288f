package io.hirundo.checkpoint;

import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A run's copies in a store. Called by one thread at a time. An interrupt ends {@link #put} and {@link #get} soon, with a {@link
 * io.hirundo.StoreException}; so does every failure of the store that may pass, while what has to be set right first, a bucket
 * that does not exist for instance, is a {@link io.hirundo.ConfigurationException}. A {@link io.hirundo.CheckpointException} is what
 * no further attempt puts right: of a copy that is not what was stored, or a checkpoint that cannot be read.
 */
@ConsumerType
public interface StoreSession extends AutoCloseable {
  /** Where the copies are, as people read it: {@code s3://bucket/prefix/run}. */
  String place();

  /** Copies that are whole as far as can be seen without reading their contents, newest first: by step, then by name. */
  List<StoredCheckpoint> list();

  /**
   * Copies a checkpoint's folder: all files in it, whatever strategy has written them; nobody changes them meanwhile. The copy is
   * listed when this returns and not before; it then takes the place of one of the same name, which stays whole until then. What was
   * stored is held against the files. Where an earlier attempt at the same contents was cut off, this one takes up what it left;
   * leftovers of other attempts are removed.
   *
   * @param doneBytes is told, from any thread, how many bytes are stored
   */
  void put(CheckpointInfo checkpoint, LongConsumer doneBytes);

  /**
   * Fetches a copy's files, and syncs them.
   *
   * @param into an empty folder; holds anything where this fails
   * @param doneBytes is told, from any thread, how many bytes have been fetched
   * @throws io.hirundo.CheckpointException where a byte is missing or not what was stored; names the file
   * @throws io.hirundo.StorageException where the folder cannot be written
   */
  void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes);

  /** Deletes a copy; from its first moment on the copy is not listed any more. */
  void delete(StoredCheckpoint copy);

  @Override
  void close();
}
