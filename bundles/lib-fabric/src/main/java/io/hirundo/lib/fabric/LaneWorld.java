package io.hirundo.lib.fabric;

import io.hirundo.device.Device;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * One rank's membership and its groups. Equal requests return the same group object, so that its collectives are numbered
 * consecutively.
 */
@ConsumerType
public abstract class LaneWorld implements World {
    private final LaneHost host;
    private final Mesh mesh;
    private final int rank;
    private final Device device;
    /** Keys are sets of axes or lists of ranks. */
    private final Map<Object, ProcessGroup> groups = new HashMap<>();

    protected LaneWorld(LaneHost host, Mesh mesh, int rank, Device device) {
        this.host = host;
        this.mesh = mesh;
        this.rank = rank;
        this.device = device;
    }

    /** Creates the group along these axes, of more than one rank. Called once per set of axes. */
    public abstract LaneGroup newGroup(GroupName name, Set<Axis> along);

    /** Creates a group of these ranks, more than one. Called once per list. */
    public abstract LaneGroup newGroup(GroupName name);

    @Override
    public final int rank() {
        return rank;
    }

    @Override
    public final Mesh mesh() {
        return mesh;
    }

    @Override
    public final ProcessGroup along(Axis... axes) {
        Set<Axis> along = EnumSet.noneOf(Axis.class);
        along.addAll(List.of(axes));
        return groups.computeIfAbsent(along, key -> {
            var name = new GroupName("along " + along, mesh.ranksAlong(rank, along));
            return name.ranks().size() == 1 ? alone(name) : newGroup(name, along);
        });
    }

    @Override
    public final ProcessGroup group(List<Integer> ranks) {
        boolean known = ranks.stream().allMatch(other -> other >= 0 && other < mesh.ranks());
        if (!known || !ranks.contains(rank) || Set.copyOf(ranks).size() != ranks.size()) {
            throw new IllegalArgumentException("rank " + rank + ": group " + ranks
                    + " is wrong (allowed: distinct ranks of a world of " + mesh.ranks() + ", including this one)");
        }
        return groups.computeIfAbsent(List.copyOf(ranks), key -> {
            var name = new GroupName("in a group", ranks);
            return ranks.size() == 1 ? alone(name) : newGroup(name);
        });
    }

    private SelfGroup alone(GroupName name) {
        return new SelfGroup(host, name, device.kernels().elementwise());
    }

    @Override
    public final void abort(Throwable cause) {
        host.end(End.failure(rank, cause));
    }

    /** Closes all groups and drops them. */
    protected final void closeGroups() {
        for (ProcessGroup group : groups.values()) {
            if (group instanceof LaneGroup shared) {
                shared.close();
            }
        }
        groups.clear();
    }
}
