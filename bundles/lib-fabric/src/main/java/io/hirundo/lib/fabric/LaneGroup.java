package io.hirundo.lib.fabric;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A group of several ranks, as one of them sees it. Checks operands before other ranks take part, numbers the collectives and the
 * transfers of each direction, and gives each of these sequences a lane. The fabric moves the data.
 */
@ConsumerType
public abstract class LaneGroup implements ProcessGroup, AutoCloseable {
    private record Direction(int from, int to) {}

    private final LaneHost host;
    private final GroupName name;
    private final int worldRank;
    private final Device device;
    private final int place;
    private final Lane collectives;
    private final Map<Direction, Lane> lanes = new HashMap<>();
    private final Map<Direction, Long> transferCounts = new HashMap<>();
    private final Scratch scratch;
    private long number;

    protected LaneGroup(LaneHost host, GroupName name, int worldRank, Device device) {
        this.host = host;
        this.name = name;
        this.worldRank = worldRank;
        this.device = device;
        this.place = name.ranks().indexOf(worldRank);
        this.collectives = new Lane(host, worldRank, device, name.title());
        this.scratch = new Scratch(device);
    }

    /** Elements of temporary memory that a collective needs, in {@link Signature#reductionType}; negative for none. */
    public abstract long chunkElements(Signature signature);

    /**
     * Begins a collective of all ranks. Called under the host's lock.
     *
     * @param chunk of {@link #chunkElements} elements, at most {@link Scratch#MAX_ELEMENTS}, valid until the work is done; null for
     *     none
     * @param lane runs its work after the preceding collectives
     */
    public abstract Pending begin(long number, Call call, Tensor chunk, Lane lane);

    /**
     * Begins a point-to-point transfer of which this rank is one side. Called under the host's lock.
     *
     * @param lane runs its work after the preceding transfers in this direction
     */
    public abstract Pending pass(int from, int to, long number, Call call, Lane lane);

    @Override
    public final int rank() {
        return place;
    }

    @Override
    public final List<Integer> ranks() {
        return name.ranks();
    }

    @Override
    public final Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
        var signature = new Signature(Collective.ALL_REDUCE, reduction, 0, inPlace.dtype(), inPlace.elements());
        Arguments.requireFloating(signature);
        return begin(new Call(signature, inPlace, inPlace, after.record()));
    }

    @Override
    public final Pending allGather(Queue after, Tensor shard, Tensor whole) {
        Arguments.requireParts(Collective.ALL_GATHER, shard, whole, size());
        return begin(new Call(Signature.of(Collective.ALL_GATHER, whole), shard, whole, after.record()));
    }

    @Override
    public final Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
        Arguments.requireParts(Collective.REDUCE_SCATTER, shard, whole, size());
        Signature signature = Signature.of(Collective.REDUCE_SCATTER, whole);
        Arguments.requireFloating(signature);
        return begin(new Call(signature, whole, shard, after.record()));
    }

    @Override
    public final Pending broadcast(Queue after, Tensor inPlace, int root) {
        Arguments.requirePlace("root", root, size());
        var signature = new Signature(Collective.BROADCAST, null, root, inPlace.dtype(), inPlace.elements());
        return begin(new Call(signature, inPlace, inPlace, after.record()));
    }

    @Override
    public final Pending allToAll(Queue after, Tensor from, Tensor to) {
        Arguments.requireExchange(from, to, size());
        return begin(new Call(Signature.of(Collective.ALL_TO_ALL, from), from, to, after.record()));
    }

    /**
     * Point-to-point transfers, because a lane's collectives have parts of one size. Parts without rows are transferred, too, so that the counts of
     * both sides are compared.
     */
    @Override
    public final Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
        var rows = new RowExchange(from, sendRows, to, receiveRows, size(), place);
        rows.copyOwn(device.kernels().elementwise(), after);
        var events = new ArrayList<Event>(List.of(after.record()));
        for (int other = 1; other < size(); other++) {
            int next = (place + other) % size();
            events.add(send(after, rows.sent(next), next).event());
            int before = (place + size() - other) % size();
            events.add(receive(after, rows.received(before), before).event());
        }
        var all = new AllEvents(List.copyOf(events));
        return () -> all;
    }

    @Override
    public final Pending send(Queue after, Tensor tensor, int peer) {
        Arguments.requirePeer(peer, place, size());
        var call = new Call(Signature.of(Collective.SEND, tensor), tensor, null, after.record());
        return pass(new Direction(place, peer), call);
    }

    @Override
    public final Pending receive(Queue after, Tensor tensor, int peer) {
        Arguments.requirePeer(peer, place, size());
        var call = new Call(Signature.of(Collective.RECEIVE, tensor), null, tensor, after.record());
        return pass(new Direction(peer, place), call);
    }

    @Override
    public final void barrier() {
        begin(new Call(Signature.BARRIER, null, null, Event.PAST)).await();
    }

    /** Allocates in the rank's thread, so that live memory depends on program order only. */
    private Pending begin(Call call) {
        requireAlive(call);
        long elements = chunkElements(call.signature());
        Tensor chunk = elements < 0 ? null : scratch.chunk(call.signature().reductionType(), elements);
        host.lock().lock();
        try {
            requireAlive(call);
            return begin(number++, call, chunk, collectives);
        } finally {
            host.lock().unlock();
        }
    }

    private void requireAlive(Call call) {
        host.requireAlive(worldRank, () -> call.signature() + ", " + name.collective(number));
    }

    private Pending pass(Direction direction, Call call) {
        host.lock().lock();
        try {
            long next = transferCounts.getOrDefault(direction, 0L);
            host.requireAlive(
                    worldRank, () -> call.signature() + ", " + name.transfer(direction.from(), direction.to(), next));
            transferCounts.put(direction, next + 1);
            Lane lane = lanes.computeIfAbsent(direction, key -> new Lane(host, worldRank, device, purpose(key)));
            return pass(direction.from(), direction.to(), next, call, lane);
        } finally {
            host.lock().unlock();
        }
    }

    private String purpose(Direction direction) {
        return name.title() + " from " + ranks().get(direction.from()) + " to " + ranks().get(direction.to());
    }

    /** Ends the threads after pending work and releases temporary memory. */
    @Override
    public final void close() {
        var all = new ArrayList<>(lanes.values());
        all.add(collectives);
        all.forEach(Lane::close);
        scratch.close();
    }
}
