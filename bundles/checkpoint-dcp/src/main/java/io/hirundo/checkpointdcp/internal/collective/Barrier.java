package io.hirundo.checkpointdcp.internal.collective;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.World;

/** A barrier of all ranks that tolerates a training that has already failed. */
public final class Barrier {
    private Barrier() {}

    /**
     * Waits for all ranks, on the rank's thread. Returns false where the training has ended with an error, which its loop reports: the
     * other ranks may never arrive.
     */
    public static boolean of(World world) {
        try {
            world.along(Axis.values()).barrier();
            return true;
        } catch (RuntimeException trainingFailed) {
            return false;
        }
    }
}
