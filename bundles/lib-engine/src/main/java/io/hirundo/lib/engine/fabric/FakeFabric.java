package io.hirundo.lib.engine.fabric;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.fabric.AloneHost;
import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.LaneHost;
import io.hirundo.lib.fabric.LaneWorld;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A fabric for devices that compute nothing: one rank joins alone, as if all ranks of the mesh were there. Its collectives complete at
 * once, with the memory and the work of the fabric {@code local}. Nothing has to arrive, because such a device has no values.
 */
public final class FakeFabric implements Fabric {
    @Override
    public List<Integer> localRanks(Mesh mesh) {
        return IntStream.range(0, mesh.ranks()).boxed().toList();
    }

    /** Does not wait for other ranks. */
    @Override
    public World connect(int rank, Mesh mesh, Device device) {
        if (device.computes()) {
            throw new IllegalArgumentException(
                    "device " + device.info().name() + " computes, and the other ranks' values are not there");
        }
        return new FakeWorld(new AloneHost(), mesh, rank, device);
    }

    private static final class FakeWorld extends LaneWorld {
        private final LaneHost host;
        private final Device device;
        private final Queue queue;

        FakeWorld(LaneHost host, Mesh mesh, int rank, Device device) {
            super(host, mesh, rank, device);
            this.host = host;
            this.device = device;
            this.queue = device.newQueue("communication");
        }

        @Override
        public LaneGroup newGroup(GroupName name, Set<Axis> along) {
            return newGroup(name);
        }

        @Override
        public LaneGroup newGroup(GroupName name) {
            return new FakeGroup(host, name, rank(), device, queue);
        }

        @Override
        public void close() {
            closeGroups();
            queue.close();
        }
    }
}
