package io.hirundo.lib.fabric;

import io.hirundo.CommunicationException;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** A group of one rank: collectives are copies or nothing, in the caller's queue. */
final class SelfGroup implements ProcessGroup {
    /** Ends with the caller's own queue, so that no other rank can delay it. */
    private record QueuedPending(Event event) implements Pending {}

    private final LaneHost host;
    private final GroupName name;
    private final ElementwiseKernels kernels;
    private long sequenceNumber;

    SelfGroup(LaneHost host, GroupName name, ElementwiseKernels kernels) {
        this.host = host;
        this.name = name;
        this.kernels = kernels;
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public List<Integer> ranks() {
        return name.ranks();
    }

    @Override
    public Pending allToAll(Queue after, Tensor from, Tensor to) {
        return copied(Collective.ALL_TO_ALL, after, from, to);
    }

    @Override
    public Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
        new RowExchange(from, sendRows, to, receiveRows, 1, 0).copyOwn(kernels, after);
        return begun(Collective.ALL_TO_ALL, after);
    }

    @Override
    public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
        return begun(Collective.ALL_REDUCE, after);
    }

    @Override
    public Pending allGather(Queue after, Tensor shard, Tensor whole) {
        return copied(Collective.ALL_GATHER, after, shard, whole);
    }

    @Override
    public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
        return copied(Collective.REDUCE_SCATTER, after, whole, shard);
    }

    @Override
    public Pending broadcast(Queue after, Tensor inPlace, int root) {
        Arguments.requirePlace("root", root, 1);
        return begun(Collective.BROADCAST, after);
    }

    @Override
    public Pending send(Queue after, Tensor tensor, int peer) {
        throw alone("send to", peer);
    }

    @Override
    public Pending receive(Queue after, Tensor tensor, int peer) {
        throw alone("receive from", peer);
    }

    @Override
    public void barrier() {
        count(Collective.BARRIER);
    }

    private Pending copied(Collective kind, Queue after, Tensor from, Tensor to) {
        Arguments.requireParts(kind, from, to, 1);
        count(kind);
        if (from != to) {
            kernels.copy(after, from, to);
        }
        return new QueuedPending(after.record());
    }

    private Pending begun(Collective kind, Queue after) {
        count(kind);
        return new QueuedPending(after.record());
    }

    private void count(Collective kind) {
        long number = sequenceNumber++;
        host.requireAlive(name.ranks().getFirst(), () -> kind + ", " + name.collective(number));
    }

    private CommunicationException alone(String operation, int peer) {
        String transfer = operation + " peer " + peer + ", " + name.collective(sequenceNumber++);
        return new CommunicationException("rank " + name.ranks().getFirst() + ": " + transfer
                + " is not possible in a group of 1, which has no peers");
    }
}
