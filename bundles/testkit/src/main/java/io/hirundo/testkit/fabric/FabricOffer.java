package io.hirundo.testkit.fabric;

import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.World;
import io.hirundo.testkit.FabricContract;
import io.hirundo.testkit.bench.OnDevice;
import java.util.List;

/** What the clauses of {@link FabricContract} ask of a test class. Ranks are threads of one process. */
public interface FabricOffer extends OnDevice {
  /**
   * The fabrics of ranks that are going to meet, the same object where one serves all. Ranks may meet more than once.
   *
   * @param timeoutSeconds deadline of joining and of every collective
   */
  List<Fabric> fabrics(int ranks, int timeoutSeconds);

  /** Whether kernels of one rank read operands of another: then none of any rank may run on. */
  default boolean ranksReadEachOther() {
    return false;
  }

  /** Names of threads and other things that a closed world has not ended, for fabrics that can tell. */
  default List<String> leftBehind(World world) {
    return List.of();
  }
}
