package io.hirundo.commmpi.internal.fabric;

import io.hirundo.ConfigurationException;
import io.hirundo.commmpi.internal.collective.MpiGroupState;
import io.hirundo.commmpi.internal.collective.MpiWorldState;
import io.hirundo.commmpi.internal.collective.Operation;
import io.hirundo.device.Device;
import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.LaneWorld;
import io.hirundo.mesh.Axis;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** This process's membership. */
final class MpiWorld extends LaneWorld {
    /** One for every choice of axes; groups by ranks have the numbers behind. */
    private static final int AXES_NUMBERS = 1 << Axis.values().length;

    private final MpiWorldState world;
    private final Device device;
    /** How many groups by ranks this rank has together with another one. */
    private final Map<Integer, Integer> groupsWith = new HashMap<>();

    private boolean closed;

    MpiWorld(MpiWorldState world, Device device) {
        super(world, world.mesh(), world.rank(), device);
        this.world = world;
        this.device = device;
    }

    @Override
    public LaneGroup newGroup(GroupName name, Set<Axis> along) {
        return new MpiGroup(world, new MpiGroupState(name, numbersAlong(along)), device);
    }

    @Override
    public LaneGroup newGroup(GroupName name) {
        return new MpiGroup(world, new MpiGroupState(name, nextNumbers(name.ranks())), device);
    }

    /** The axes say which group it is, whoever asks for it first. */
    private Map<Integer, Integer> numbersAlong(Set<Axis> along) {
        int number = along.stream().mapToInt(axis -> 1 << axis.ordinal()).sum();
        var numbers = new HashMap<Integer, Integer>();
        IntStream.range(0, world.mesh().ranks()).forEach(other -> numbers.put(other, number));
        return numbers;
    }

    /** Any two ranks ask for the groups that both are in in the same order, so that both count the same. */
    private Map<Integer, Integer> nextNumbers(List<Integer> ranks) {
        var numbers = new HashMap<Integer, Integer>();
        for (int other : ranks) {
            int number = AXES_NUMBERS + groupsWith.merge(other, 1, Integer::sum) - 1;
            if (number > MpiGroupState.MAX_NUMBER) {
                throw new ConfigurationException(
                        "mesh.fabric: mpi has no numbers for more than " + MpiGroupState.MAX_NUMBER
                                + " groups of ranks " + rank() + " and " + other + "; give other sizes to the axes");
            }
            numbers.put(other, number);
        }
        return numbers;
    }

    /** Ends what this rank has begun, and waits until all ranks have left. One that waits for this rank learns that it left. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        world.leave();
        world.underWay().forEach(Operation::settle);
        try {
            closeGroups();
        } finally {
            world.part();
        }
    }

    MpiWorldState state() {
        return world;
    }
}
