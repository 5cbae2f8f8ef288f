package io.hirundo.lib.fabric.local;

import io.hirundo.device.Device;
import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.LaneWorld;
import io.hirundo.mesh.Axis;
import java.util.List;
import java.util.Set;

/** One rank's membership. */
public final class LocalWorld extends LaneWorld {
    private final LocalWorldState world;
    private final Device device;

    LocalWorld(int rank, LocalWorldState world, Device device) {
        super(world, world.mesh(), rank, device);
        this.world = world;
        this.device = device;
    }

    @Override
    public LaneGroup newGroup(GroupName name, Set<Axis> along) {
        return newGroup(name);
    }

    @Override
    public LaneGroup newGroup(GroupName name) {
        return new LocalGroup(world, world.group(name), rank(), device);
    }

    /**
     * Leaves, and waits for what this rank has begun, because others read its operands until then. A rank that waits for a
     * collective which this one has not begun learns of it at once.
     */
    @Override
    public void close() {
        world.leave(rank());
        world.begunBy(rank()).forEach(collective -> collective.settleFor(rank()));
        closeGroups();
    }

    /** Names of the communication threads of all ranks that still run. */
    public List<String> threads() {
        return world.threads();
    }
}
