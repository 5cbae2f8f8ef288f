package io.hirundo.regress.mutations;

import io.hirundo.commlocal.internal.fabric.LocalFactory;
import io.hirundo.commlocal.internal.fabric.LocalOptions;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A fabric of threads with wrong collectives along one axis.
 *
 * @param axis axis of the faulty groups
 * @param operation the faulty collective
 */
record SpoiledFabric(Axis axis, Operation operation, Spoiled spoiled) implements StrategyFactory<NoOptions, Fabric> {
    enum Operation {
        ALL_REDUCE,
        ALL_GATHER,
        REDUCE_SCATTER,
        SEND
    }

    /** Replaces a collective by a wrong one. */
    @FunctionalInterface
    interface Spoiled {
        Pending collective(Collective collective);
    }

    /**
     * A collective on one rank.
     *
     * @param from input of the rank
     * @param into output of the rank; for a send its input
     * @param memory tensors of the rank's earlier calls in this group
     */
    record Collective(
            Device device,
            ProcessGroup group,
            Queue after,
            Tensor from,
            Tensor into,
            Map<String, Tensor> memory,
            Supplier<Pending> sound) {
        /** Runs the correct collective, waits and modifies the result. */
        Pending then(Runnable change) {
            after.await(sound.get().event());
            change.run();
            return after::record;
        }
    }

    @Override
    public Fabric create(NoOptions options) {
        Fabric sound = new LocalFactory().create(new LocalOptions());
        return new Fabric() {
            @Override
            public List<Integer> localRanks(Mesh mesh) {
                return sound.localRanks(mesh);
            }

            @Override
            public World connect(int rank, Mesh mesh, Device device) {
                return new SpoiledWorld(sound.connect(rank, mesh, device), device, new HashMap<>());
            }
        };
    }

    private record Member(SpoiledFabric fabric, ProcessGroup group, Device device, Map<String, Tensor> memory)
            implements ProcessGroup {
        private Pending done(Operation operation, Queue after, Tensor from, Tensor into, Supplier<Pending> sound) {
            return operation == fabric.operation && group.size() > 1
                    ? fabric.spoiled.collective(new Collective(device, group, after, from, into, memory, sound))
                    : sound.get();
        }

        @Override
        public int rank() {
            return group.rank();
        }

        @Override
        public List<Integer> ranks() {
            return group.ranks();
        }

        @Override
        public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
            return done(
                    Operation.ALL_REDUCE, after, inPlace, inPlace, () -> group.allReduce(after, inPlace, reduction));
        }

        @Override
        public Pending allGather(Queue after, Tensor shard, Tensor whole) {
            return done(Operation.ALL_GATHER, after, shard, whole, () -> group.allGather(after, shard, whole));
        }

        @Override
        public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
            return done(Operation.REDUCE_SCATTER, after, whole, shard, () -> group.reduceScatter(after, whole, shard));
        }

        @Override
        public Pending broadcast(Queue after, Tensor inPlace, int root) {
            return group.broadcast(after, inPlace, root);
        }

        @Override
        public Pending allToAll(Queue after, Tensor from, Tensor to) {
            return group.allToAll(after, from, to);
        }

        @Override
        public Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
            return group.allToAllRows(after, from, sendRows, to, receiveRows);
        }

        @Override
        public Pending send(Queue after, Tensor tensor, int peer) {
            return done(Operation.SEND, after, tensor, tensor, () -> group.send(after, tensor, peer));
        }

        @Override
        public Pending receive(Queue after, Tensor tensor, int peer) {
            return group.receive(after, tensor, peer);
        }

        @Override
        public void barrier() {
            group.barrier();
        }
    }

    private final class SpoiledWorld implements World {
        private final World world;
        private final Device device;
        private final Map<ProcessGroup, ProcessGroup> members;

        SpoiledWorld(World world, Device device, Map<ProcessGroup, ProcessGroup> members) {
            this.world = world;
            this.device = device;
            this.members = members;
        }

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
            ProcessGroup group = world.along(axes);
            boolean isSpoiled =
                    axes.length < Axis.values().length && List.of(axes).contains(axis);
            return isSpoiled
                    ? members.computeIfAbsent(
                            group, each -> new Member(SpoiledFabric.this, each, device, new HashMap<>()))
                    : group;
        }

        @Override
        public ProcessGroup group(List<Integer> ranks) {
            return world.group(ranks);
        }

        @Override
        public void abort(Throwable cause) {
            world.abort(cause);
        }

        @Override
        public void close() {
            members.values().stream()
                    .map(Member.class::cast)
                    .forEach(each -> each.memory().values().forEach(Tensor::close));
            world.close();
        }
    }
}
