package io.hirundo.checkpointdcp.internal.collective;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.World;

/** All ranks, while there are all. */
public final class Barrier {
    private Barrier() {}

    /** Waits for all; false where the training has ended with an error, which is told elsewhere. The rank's thread. */
    public static boolean of(World world) {
        try {
            world.along(Axis.values()).barrier();
            return true;
        } catch (RuntimeException ended) {
            return false;
        }
    }
}
