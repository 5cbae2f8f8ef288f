package io.hirundo.mesh;

import io.hirundo.device.Device;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** A way for ranks to talk: threads of one JVM ({@code local}), MPI, NCCL. Strategy kind {@code fabric}. */
@ConsumerType
public interface Fabric {
  /**
   * The ranks of the mesh that live in this process, each to be run on a thread of its own.
   *
   * @throws io.hirundo.ConfigurationException when the mesh does not fit the processes that were started
   */
  List<Integer> localRanks(Mesh mesh);

  /**
   * Joins the world as one rank; returns when all ranks have joined.
   *
   * @throws io.hirundo.CommunicationException when one does not come within the fabric's deadline
   */
  World connect(int rank, Mesh mesh, Device device);
}
