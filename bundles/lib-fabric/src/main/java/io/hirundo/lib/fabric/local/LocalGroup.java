package io.hirundo.lib.fabric.local;

import io.hirundo.device.Device;
import io.hirundo.lib.fabric.Call;
import io.hirundo.lib.fabric.Lane;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.RankOrderTransfer;
import io.hirundo.lib.fabric.Signature;
import io.hirundo.mesh.Pending;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/** A group of several ranks, as one of them sees it: its parts in collectives. */
final class LocalGroup extends LaneGroup {
    private final LocalGroupState group;
    private final Device device;
    private final Map<Lane, LaneQueue> lines = new HashMap<>();

    LocalGroup(LocalWorldState world, LocalGroupState group, int worldRank, Device device) {
        super(world, group.name(), worldRank, device);
        this.group = group;
        this.device = device;
    }

    @Override
    public long chunkElements(Signature signature) {
        return RankOrderTransfer.scratchElements(signature, size());
    }

    @Override
    public Pending begin(long number, Call call, Tensor chunk, Lane lane) {
        return announce(group.collective(number), rank(), call, lane, chunk);
    }

    @Override
    public Pending pass(int from, int to, long number, Call call, Lane lane) {
        return announce(group.pointToPoint(from, to, number), from == rank() ? 0 : 1, call, lane, null);
    }

    private Pending announce(LocalCollective collective, int role, Call call, Lane lane, Tensor chunk) {
        collective.announce(role, call);
        LaneQueue line = lines.computeIfAbsent(lane, LaneQueue::new);
        if (collective.parts().add(new CollectivePart(collective, role, device, chunk, line), call)) {
            collective.moveAll();
        }
        return new LocalPending(collective, role);
    }
}
