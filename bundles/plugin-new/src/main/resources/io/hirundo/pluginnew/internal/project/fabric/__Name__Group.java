package __package__;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * Counts collectives and delegates them to the other fabric. To communicate yourself, change these methods. A collective begins when the
 * work in {@code after} has ended, owns its operands until its result completes, and never blocks the caller; only {@link #barrier} does.
 * Sums are in rank order. lib-fabric has checks of operands, communication threads and sums for a fabric of your own.
 */
final class __Name__Group implements ProcessGroup {
    private final ProcessGroup base;
    private final __Name__Traffic traffic;

    __Name__Group(ProcessGroup base, __Name__Traffic traffic) {
        this.base = base;
        this.traffic = traffic;
    }

    @Override
    public int rank() {
        return base.rank();
    }

    @Override
    public List<Integer> ranks() {
        return base.ranks();
    }

    @Override
    public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
        traffic.add(inPlace);
        return base.allReduce(after, inPlace, reduction);
    }

    @Override
    public Pending allGather(Queue after, Tensor shard, Tensor whole) {
        traffic.add(whole);
        return base.allGather(after, shard, whole);
    }

    @Override
    public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
        traffic.add(whole);
        return base.reduceScatter(after, whole, shard);
    }

    @Override
    public Pending broadcast(Queue after, Tensor inPlace, int root) {
        traffic.add(inPlace);
        return base.broadcast(after, inPlace, root);
    }

    @Override
    public Pending allToAll(Queue after, Tensor from, Tensor to) {
        traffic.add(from);
        return base.allToAll(after, from, to);
    }

    @Override
    public Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
        traffic.add(from);
        return base.allToAllRows(after, from, sendRows, to, receiveRows);
    }

    @Override
    public Pending send(Queue after, Tensor tensor, int peer) {
        traffic.add(tensor);
        return base.send(after, tensor, peer);
    }

    @Override
    public Pending receive(Queue after, Tensor tensor, int peer) {
        return base.receive(after, tensor, peer);
    }

    @Override
    public void barrier() {
        base.barrier();
    }
}
