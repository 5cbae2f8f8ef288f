package io.hirundo.testkit.trial;

import io.hirundo.device.Device;
import io.hirundo.lib.fabric.AloneHost;
import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.LaneWorld;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import java.util.Set;

/** The world of one rank. */
public final class AloneWorld extends LaneWorld {
    public AloneWorld(Device device) {
        super(new AloneHost(), Mesh.ALONE, 0, device);
    }

    @Override
    public LaneGroup newGroup(GroupName name, Set<Axis> along) {
        throw new IllegalStateException("one rank has no other");
    }

    @Override
    public LaneGroup newGroup(GroupName name) {
        throw new IllegalStateException("one rank has no other");
    }

    @Override
    public void close() {
        closeGroups();
    }
}
