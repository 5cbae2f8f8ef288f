package io.hirundo.commmpi.internal.fabric;

import io.hirundo.CommunicationException;
import io.hirundo.commmpi.internal.collective.MpiWorldState;
import io.hirundo.commmpi.internal.wire.Wire;
import io.hirundo.device.Device;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One rank in this process, the others in others. Serves one run after the other. */
final class MpiFabric implements Fabric {
    private final MpiOptions options;
    private final LaunchEnvironment launched;
    private final Supplier<Wire> processes;
    private final Consumer<MpiWorldState> began;

    /**
     * @param launched what mpirun said, null without it
     * @param processes all of them, joined when they are first asked for
     * @param began receives each world that begins
     */
    MpiFabric(MpiOptions options, LaunchEnvironment launched, Supplier<Wire> processes, Consumer<MpiWorldState> began) {
        this.options = options;
        this.launched = launched;
        this.processes = processes;
        this.began = began;
    }

    /** Starts nothing: whether this process leads is known before MPI begins. */
    @Override
    public List<Integer> localRanks(Mesh mesh) {
        return List.of(LaunchEnvironment.require(launched, mesh).rank());
    }

    @Override
    public World connect(int rank, Mesh mesh, Device device) {
        LaunchEnvironment.require(launched, mesh);
        if (rank != launched.rank()) {
            throw new IllegalArgumentException(
                    "rank " + rank + " does not live in the process of rank " + launched.rank());
        }
        Wire wire = processes.get();
        if (wire.rank() != launched.rank() || wire.size() != launched.size()) {
            throw new CommunicationException(
                    "rank " + rank + " of " + launched.size() + " is rank " + wire.rank() + " of " + wire.size()
                            + " for MPI; start it with the mpirun of the same Open MPI as the library in mesh.fabric.options");
        }
        new Rendezvous(wire, mesh, options.timeoutSeconds()).exchange();
        var world = new MpiWorldState(wire.separate(), mesh, options.timeoutSeconds());
        began.accept(world);
        return new MpiWorld(world, device);
    }
}
