package io.hirundo.lib.fabric.local;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.lib.fabric.End;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import java.util.List;
import java.util.stream.IntStream;

/** All ranks in this process, as threads. One object serves all ranks of a run, and one run after the other. Thread-safe. */
public final class LocalFabric implements Fabric {
    /**
     * Up to so many bytes of all ranks together, the rank that comes last moves the data of all: this takes less time than to wake a thread
     * for each rank, measured on 2 cores.
     */
    public static final long SMALL_TRANSFER_BYTES = 256L << 10;

    private final int timeoutSeconds;
    private final TransferCost cost;
    private LocalWorldState latest;

    /** A fabric whose transfers take no longer than they must. */
    public LocalFabric(int timeoutSeconds) {
        this(timeoutSeconds, null);
    }

    /**
     * A fabric on a simulated network.
     *
     * @param timeoutSeconds deadline of every wait for another rank
     * @param cost of transfers; null for none
     */
    public LocalFabric(int timeoutSeconds, TransferCost cost) {
        this.timeoutSeconds = timeoutSeconds;
        this.cost = cost;
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
        LocalWorldState world = gathering(mesh);
        if (!world.mesh().equals(mesh)) {
            String reason = "rank " + rank + " joined with the mesh " + mesh.sizes() + ", others with "
                    + world.mesh().sizes();
            world.end(new End(reason, null));
            throw new CommunicationException(
                    "rank " + rank + ": joined with the mesh " + mesh.sizes() + ", but the ranks before it with "
                            + world.mesh().sizes() + "; give all ranks the same configuration");
        }
        world.join(rank);
        return new LocalWorld(rank, world, device);
    }

    private synchronized LocalWorldState gathering(Mesh mesh) {
        if (latest == null || !latest.isGathering()) {
            latest = new LocalWorldState(mesh, timeoutSeconds, cost);
        }
        return latest;
    }
}
