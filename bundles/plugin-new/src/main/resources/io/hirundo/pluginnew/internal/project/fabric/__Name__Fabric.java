package __package__;

import io.hirundo.device.Device;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import java.util.List;

/**
 * Wraps another fabric under a new name and counts what each rank communicates ({@link __Name__Group}). You can replace its collectives one
 * by one, and training works from the start.
 */
record __Name__Fabric(Fabric base) implements Fabric {
    /** The name that {@link __Name__Factory} provides. */
    static final String NAME = "__name__";

    /** A fabric of processes has one rank here, or several; one of threads has all. */
    @Override
    public List<Integer> localRanks(Mesh mesh) {
        return base.localRanks(mesh);
    }

    /** Called by each local rank on its own thread. */
    @Override
    public World connect(int rank, Mesh mesh, Device device) {
        return new __Name__World(base.connect(rank, mesh, device));
    }
}
