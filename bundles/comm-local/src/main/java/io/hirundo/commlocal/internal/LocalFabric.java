package io.hirundo.commlocal.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** All ranks in this process. */
final class LocalFabric implements Fabric {
  @Override
  public List<Integer> localRanks(Mesh mesh) {
    if (mesh.ranks() != 1) {
      String sizes =
          mesh.sizes().entrySet().stream()
              .filter(axis -> axis.getValue() > 1)
              .map(axis -> axis.getKey().name().toLowerCase(Locale.ROOT) + " " + axis.getValue())
              .collect(Collectors.joining(", "));
      throw new ConfigurationException(
          "mesh: " + mesh.ranks() + " ranks (" + sizes + "), but fabric local serves one rank until the parallel bundles"
              + " are there; set every axis of the mesh to 1");
    }
    return List.of(0);
  }

  @Override
  public World connect(int rank, Mesh mesh, Device device) {
    if (!localRanks(mesh).contains(rank)) {
      throw new IllegalArgumentException("rank " + rank + " is not one of " + localRanks(mesh));
    }
    return new LocalWorld(rank, mesh, device);
  }
}
