package io.hirundo.checkpoint;

import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A run's copies in a store. Called by one thread at a time. An interrupt ends {@link #put} and {@link #get} soon, with a {@link
 * io.hirundo.StoreException}.
 * <ul>
 * <li>{@link io.hirundo.StoreException}: a failure of the store that may be temporary
 * <li>{@link io.hirundo.ConfigurationException}: something to fix first, for instance a bucket that does not exist
 * <li>{@link io.hirundo.CheckpointException}: retrying does not help, because the copy differs from what was stored or the
 * checkpoint cannot be read
 * </ul>
 */
@ConsumerType
public interface StoreSession extends AutoCloseable {
    /** Location of the copies, for messages: {@code s3://bucket/prefix/run}. */
    String place();

    /** Copies that look complete without reading their contents, newest first: by step, then by name. */
    List<StoredCheckpoint> list();

    /**
     * Copies all files of a checkpoint folder, which must not change meanwhile. The copy is listed only after this returns. It then
     * replaces a copy of the same name, which stays complete until then. Stored bytes are verified against the files. An
     * interrupted attempt at the same contents is resumed; leftovers of other attempts are removed.
     *
     * @param doneBytes receives the bytes stored so far, from any thread
     */
    void put(CheckpointInfo checkpoint, LongConsumer doneBytes);

    /**
     * Fetches a copy's files and syncs them.
     *
     * @param into an empty folder; its contents are undefined after a failure
     * @param doneBytes receives the bytes fetched so far, from any thread
     * @throws io.hirundo.CheckpointException if a byte is missing or differs from what was stored; names the file
     * @throws io.hirundo.StorageException if the folder cannot be written
     */
    void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes);

    /** Deletes a copy, which is unlisted first. */
    void delete(StoredCheckpoint copy);

    @Override
    void close();
}
