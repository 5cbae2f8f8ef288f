package io.hirundo.checkpoint;

import io.hirundo.model.parameter.ParameterPart;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * One rank's view of a model that several ranks write together, each its own shards. Confined to the rank's thread. Uses no
 * collectives; the callers must order the calls:
 * <ol>
 * <li>the leader returns from {@link #create} before any rank writes
 * <li>all ranks return from {@link #flush} before the leader calls {@link #commit}
 * <li>no rank writes when the leader closes
 * </ol>
 */
@ConsumerType
public interface ModelWriting extends AutoCloseable {
    /**
     * Leader only, first: creates the files, hidden until {@link #commit}. Removes what an interrupted write left.
     *
     * @throws io.hirundo.StorageException if they cannot be created
     */
    void create();

    /**
     * Writes a slice of a tensor. The slices of all ranks must cover each element exactly once.
     *
     * @param part the slice
     * @param values in the tensor's dtype, row-major; lent until this returns
     * @throws io.hirundo.StorageException if it cannot be written, or if the leader's files are not visible from this node
     */
    void write(ParameterPart part, MemorySegment values);

    /**
     * Makes this rank's writes durable.
     *
     * @throws io.hirundo.StorageException if durability is not certain
     */
    void flush();

    /**
     * Leader only, last: publishes the model and replaces an existing one. If {@code check} throws, nothing is published.
     *
     * @param check receives the written model, which is closed afterwards
     * @throws io.hirundo.StorageException if it cannot be published
     */
    void commit(Consumer<ModelReader> check);

    /** Releases open files. A leader that has not committed also removes what it created. */
    @Override
    void close();
}
