package io.hirundo.commmpi.internal.fabric;

import io.hirundo.commmpi.internal.collective.MessageHeader;
import io.hirundo.commmpi.internal.collective.MpiCollectiveTransfer;
import io.hirundo.commmpi.internal.collective.MpiGroupState;
import io.hirundo.commmpi.internal.collective.MpiWorldState;
import io.hirundo.commmpi.internal.collective.Operation;
import io.hirundo.commmpi.internal.collective.PointToPointTransfer;
import io.hirundo.commmpi.internal.collective.Worker;
import io.hirundo.device.Device;
import io.hirundo.lib.fabric.Call;
import io.hirundo.lib.fabric.Lane;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.Signature;
import io.hirundo.mesh.Pending;
import io.hirundo.tensor.Tensor;

/** A group of several ranks, as the one of this process sees it. */
final class MpiGroup extends LaneGroup {
    private final MpiWorldState world;
    private final MpiGroupState group;
    private final Device device;

    MpiGroup(MpiWorldState world, MpiGroupState group, Device device) {
        super(world, group.name(), world.rank(), device);
        this.world = world;
        this.group = group;
        this.device = device;
    }

    /** Each rank sums its slice, of what the others send it. */
    @Override
    public long chunkElements(Signature signature) {
        return switch (signature.kind()) {
            case ALL_REDUCE, REDUCE_SCATTER -> Math.ceilDiv(signature.elements(), (long) size());
            default -> -1;
        };
    }

    @Override
    public Pending begin(long number, Call call, Tensor chunk, Lane lane) {
        var operation =
                new Operation(world, call.signature() + ", " + group.name().collective(number));
        var header = new MessageHeader(group.identity(), number, call.signature());
        lane.add(queue -> new MpiCollectiveTransfer(
                        new Worker(world, device, queue), operation, group, header, call, chunk)
                .run());
        return operation;
    }

    @Override
    public Pending pass(int from, int to, long number, Call call, Lane lane) {
        var operation =
                new Operation(world, call.signature() + ", " + group.name().transfer(from, to, number));
        var header = new MessageHeader(group.identity(), number, call.signature());
        int peer = ranks().get(from == rank() ? to : from);
        lane.add(queue ->
                new PointToPointTransfer(new Worker(world, device, queue), operation, group, header, call, peer).run());
        return operation;
    }
}
