package io.hirundo.commlocal.internal.fabric;

import io.hirundo.CommunicationException;
import io.hirundo.commlocal.internal.collective.LocalOptions;
import io.hirundo.commlocal.internal.collective.WorldState;
import io.hirundo.device.Device;
import io.hirundo.lib.fabric.End;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import java.util.List;
import java.util.stream.IntStream;

/** All ranks in this process. One object serves all ranks of a run, and one run after the other. Thread-safe. */
final class LocalFabric implements Fabric {
  private final LocalOptions options;
  private WorldState latest;

  LocalFabric(LocalOptions options) {
    this.options = options;
  }

  @Override
  public List<Integer> localRanks(Mesh mesh) {
    return IntStream.range(0, mesh.ranks()).boxed().toList();
  }

  /** Joins the ranks that came before; the first one begins a new world. */
  @Override
  public World connect(int rank, Mesh mesh, Device device) {
    if (rank < 0 || rank >= mesh.ranks()) {
      throw new IllegalArgumentException("rank " + rank + " is not one of " + mesh.ranks());
    }
    WorldState world = gathering(mesh);
    if (!world.mesh().equals(mesh)) {
      String reason = "rank " + rank + " joined with the mesh " + mesh.sizes() + ", others with " + world.mesh().sizes();
      world.end(new End(reason, null));
      throw new CommunicationException(
          "rank " + rank + ": joined with the mesh " + mesh.sizes() + ", but the ranks before it with " + world.mesh().sizes()
              + "; give all ranks the same configuration");
    }
    world.join(rank);
    return new LocalWorld(rank, world, device);
  }

  private synchronized WorldState gathering(Mesh mesh) {
    if (latest == null || !latest.isGathering()) {
      latest = new WorldState(mesh, options);
    }
    return latest;
  }
}
