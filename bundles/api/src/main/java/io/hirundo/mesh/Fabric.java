package io.hirundo.mesh;

import io.hirundo.device.Device;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** How ranks communicate: threads of one JVM ({@code local}), MPI, NCCL. Strategy kind {@code fabric}. */
@ConsumerType
public interface Fabric {
    /**
     * Ranks of the mesh in this process. The caller runs each on its own thread.
     *
     * @throws io.hirundo.ConfigurationException if the mesh does not fit the started processes
     */
    List<Integer> localRanks(Mesh mesh);

    /**
     * Rendezvous: joins the world as one rank, and returns when all ranks have joined.
     *
     * @throws io.hirundo.CommunicationException if a rank does not join before the fabric's deadline
     */
    World connect(int rank, Mesh mesh, Device device);
}
