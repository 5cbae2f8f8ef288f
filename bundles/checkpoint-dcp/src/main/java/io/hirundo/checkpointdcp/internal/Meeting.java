package io.hirundo.checkpointdcp.internal;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.World;

/** All ranks, while there are all. */
final class Meeting {
  private Meeting() {}

  /** Waits for all; false where the training has ended with an error, which is told elsewhere. The rank's thread. */
  static boolean of(World world) {
    try {
      world.along(Axis.values()).barrier();
      return true;
    } catch (RuntimeException ended) {
      return false;
    }
  }
}
