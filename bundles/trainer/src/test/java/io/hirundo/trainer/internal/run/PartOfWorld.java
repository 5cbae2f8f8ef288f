package io.hirundo.trainer.internal.run;

import io.hirundo.commlocal.internal.LocalFactory;
import io.hirundo.commlocal.internal.LocalOptions;
import io.hirundo.device.Device;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import java.util.List;

/**
 * Some ranks of a world whose others are elsewhere, as one of several processes has them.
 *
 * @param all the same of all parts
 */
record PartOfWorld(Fabric all, List<Integer> ranks) implements Fabric {
  /** What the parts of a world share. */
  static Fabric world() {
    return new LocalFactory().create(new LocalOptions());
  }

  @Override
  public List<Integer> localRanks(Mesh mesh) {
    return ranks;
  }

  @Override
  public World connect(int rank, Mesh mesh, Device device) {
    return all.connect(rank, mesh, device);
  }
}
