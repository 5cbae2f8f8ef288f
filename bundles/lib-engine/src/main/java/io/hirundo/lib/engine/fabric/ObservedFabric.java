package io.hirundo.lib.engine.fabric;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.fabric.CollectiveCall.Kind;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** One rank's fabric, with an observer of the collectives of its groups of more than one rank. */
public record ObservedFabric(Fabric fabric, CollectiveObserver observer) implements Fabric {
    @Override
    public List<Integer> localRanks(Mesh mesh) {
        return fabric.localRanks(mesh);
    }

    @Override
    public World connect(int rank, Mesh mesh, Device device) {
        return new ObservedWorld(fabric.connect(rank, mesh, device), observer, new HashMap<>());
    }

    private record ObservedWorld(World world, CollectiveObserver observer, Map<ProcessGroup, ProcessGroup> observed)
            implements World {
        @Override
        public int rank() {
            return world.rank();
        }

        @Override
        public Mesh mesh() {
            return world.mesh();
        }

        @Override
        public ProcessGroup along(Axis... axes) {
            String name = Arrays.stream(axes)
                    .map(axis -> axis.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining("+"));
            return observed(world.along(axes), axes.length == Axis.values().length ? "all" : name);
        }

        @Override
        public ProcessGroup group(List<Integer> ranks) {
            return observed(world.group(ranks), nameOf(ranks));
        }

        /** Hybrid sharding divides the ranks along context and data axes; all other groups sum gradients of weights that they share. */
        private String nameOf(List<Integer> ranks) {
            List<Integer> data = world.along(Axis.CONTEXT, Axis.DATA).ranks();
            if (!data.containsAll(ranks)) {
                return "shared weights";
            }
            boolean areAdjacent = data.indexOf(ranks.getLast()) - data.indexOf(ranks.getFirst()) == ranks.size() - 1;
            return areAdjacent ? "data shards" : "data replicas";
        }

        private ProcessGroup observed(ProcessGroup group, String name) {
            return observed.computeIfAbsent(
                    group, plain -> plain.size() == 1 ? plain : new ObservedGroup(plain, name, observer));
        }

        @Override
        public void abort(Throwable cause) {
            world.abort(cause);
        }

        @Override
        public void close() {
            world.close();
        }
    }

    private record ObservedGroup(ProcessGroup group, String name, CollectiveObserver observer) implements ProcessGroup {
        @Override
        public int rank() {
            return group.rank();
        }

        @Override
        public List<Integer> ranks() {
            return group.ranks();
        }

        private CollectiveCall call(Kind kind, Queue after, Tensor input, Tensor output, int peer) {
            return new CollectiveCall(kind, name, group, after, input, output, null, peer);
        }

        @Override
        public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
            return observer.begin(
                    new CollectiveCall(Kind.ALL_REDUCE, name, group, after, inPlace, inPlace, reduction, -1),
                    () -> group.allReduce(after, inPlace, reduction));
        }

        @Override
        public Pending allGather(Queue after, Tensor shard, Tensor whole) {
            return observer.begin(
                    call(Kind.ALL_GATHER, after, shard, whole, -1), () -> group.allGather(after, shard, whole));
        }

        @Override
        public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
            return observer.begin(
                    call(Kind.REDUCE_SCATTER, after, whole, shard, -1), () -> group.reduceScatter(after, whole, shard));
        }

        @Override
        public Pending broadcast(Queue after, Tensor inPlace, int root) {
            return observer.begin(
                    call(Kind.BROADCAST, after, inPlace, inPlace, root), () -> group.broadcast(after, inPlace, root));
        }

        @Override
        public Pending allToAll(Queue after, Tensor from, Tensor to) {
            return observer.begin(call(Kind.ALL_TO_ALL, after, from, to, -1), () -> group.allToAll(after, from, to));
        }

        /** Not observed, because an audit compares parts of one size. */
        @Override
        public Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
            return group.allToAllRows(after, from, sendRows, to, receiveRows);
        }

        @Override
        public Pending send(Queue after, Tensor tensor, int peer) {
            return observer.begin(call(Kind.SEND, after, tensor, null, peer), () -> group.send(after, tensor, peer));
        }

        @Override
        public Pending receive(Queue after, Tensor tensor, int peer) {
            return observer.begin(
                    call(Kind.RECEIVE, after, null, tensor, peer), () -> group.receive(after, tensor, peer));
        }

        @Override
        public void barrier() {
            group.barrier();
        }
    }
}
