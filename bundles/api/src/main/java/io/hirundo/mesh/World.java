package io.hirundo.mesh;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** One rank's membership in the mesh. Confined to that rank's thread, except {@link #abort}, which is thread-safe. */
@ConsumerType
public interface World extends AutoCloseable {
    int rank();

    Mesh mesh();

    /** The group of ranks that differ from this one along the given axes only. Never null; equal axes return the same object. */
    ProcessGroup along(Axis... axes);

    /**
     * The process group of these ranks, which include this one. All of them must call this, and create their groups in the same
     * order.
     *
     * @param ranks world ranks, in group order
     */
    ProcessGroup group(List<Integer> ranks);

    /** Fails all pending and later collectives of all ranks with this cause. */
    void abort(Throwable cause);

    @Override
    void close();
}
