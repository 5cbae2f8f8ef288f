package io.hirundo.commlocal.internal.mutant;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Does what another group does, but for what a mutant changes. */
class MutantGroup implements ProcessGroup {
    final ProcessGroup real;

    MutantGroup(ProcessGroup real) {
        this.real = real;
    }

    /** Everything that is begun comes by here. */
    Pending begun(Pending pending) {
        return pending;
    }

    @Override
    public int rank() {
        return real.rank();
    }

    @Override
    public List<Integer> ranks() {
        return real.ranks();
    }

    @Override
    public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
        return begun(real.allReduce(after, inPlace, reduction));
    }

    @Override
    public Pending allGather(Queue after, Tensor shard, Tensor whole) {
        return begun(real.allGather(after, shard, whole));
    }

    @Override
    public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
        return begun(real.reduceScatter(after, whole, shard));
    }

    @Override
    public Pending broadcast(Queue after, Tensor inPlace, int root) {
        return begun(real.broadcast(after, inPlace, root));
    }

    @Override
    public Pending allToAll(Queue after, Tensor from, Tensor to) {
        return begun(real.allToAll(after, from, to));
    }

    @Override
    public Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
        return begun(real.allToAllRows(after, from, sendRows, to, receiveRows));
    }

    @Override
    public Pending send(Queue after, Tensor tensor, int peer) {
        return begun(real.send(after, tensor, peer));
    }

    @Override
    public Pending receive(Queue after, Tensor tensor, int peer) {
        return begun(real.receive(after, tensor, peer));
    }

    @Override
    public void barrier() {
        real.barrier();
    }
}
