package io.hirundo.lib.engine.fabric;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.lib.fabric.Call;
import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.Lane;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.LaneHost;
import io.hirundo.lib.fabric.RankOrderTransfer;
import io.hirundo.lib.fabric.Signature;
import io.hirundo.mesh.Pending;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;

/** A group of which one rank is there: its own operands stand for those of the others, which have the same sizes. */
final class FakeGroup extends LaneGroup {
    private static final Pending DONE = () -> Event.PAST;

    private final Device device;
    private final Queue queue;

    FakeGroup(LaneHost host, GroupName name, int worldRank, Device device, Queue queue) {
        super(host, name, worldRank, device);
        this.device = device;
        this.queue = queue;
    }

    @Override
    public long chunkElements(Signature signature) {
        return RankOrderTransfer.scratchElements(signature, size());
    }

    @Override
    public Pending begin(long number, Call call, Tensor chunk, Lane lane) {
        return moved(call, rank(), size(), chunk);
    }

    /** The sender has place 0, the receiver place 1. */
    @Override
    public Pending pass(int from, int to, long number, Call call, Lane lane) {
        return moved(call, from == rank() ? 0 : 1, 2, null);
    }

    private Pending moved(Call call, int place, int ranks, Tensor chunk) {
        call.ready().await();
        Tensor input = call.input() == null ? call.output() : call.input();
        var calls = new Call[ranks];
        Arrays.fill(calls, new Call(call.signature(), input, call.output(), call.ready()));
        var transfer = new RankOrderTransfer(device.kernels().elementwise(), queue, calls, place, chunk);
        transfer.move();
        transfer.spread();
        return DONE;
    }
}
