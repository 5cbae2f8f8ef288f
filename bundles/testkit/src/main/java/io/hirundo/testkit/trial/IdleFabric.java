package io.hirundo.testkit.trial;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** A rank alone that knows its place in the mesh. Its collectives end at once, allocate nothing and move nothing, as for a plan. */
public final class IdleFabric implements Fabric {
    private static final Pending ENDED = () -> Event.PAST;

    @Override
    public List<Integer> localRanks(Mesh mesh) {
        return IntStream.range(0, mesh.ranks()).boxed().toList();
    }

    @Override
    public World connect(int rank, Mesh mesh, Device device) {
        return new IdleWorld(rank, mesh);
    }

    private record IdleWorld(int rank, Mesh mesh) implements World {
        @Override
        public ProcessGroup along(Axis... axes) {
            Set<Axis> along = EnumSet.noneOf(Axis.class);
            along.addAll(Arrays.asList(axes));
            return group(mesh.ranksAlong(rank, along));
        }

        @Override
        public ProcessGroup group(List<Integer> ranks) {
            return new IdleGroup(ranks.indexOf(rank), ranks);
        }

        @Override
        public void abort(Throwable cause) {}

        @Override
        public void close() {}
    }

    private record IdleGroup(int rank, List<Integer> ranks) implements ProcessGroup {
        @Override
        public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
            return ENDED;
        }

        @Override
        public Pending allGather(Queue after, Tensor shard, Tensor whole) {
            return ENDED;
        }

        @Override
        public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
            return ENDED;
        }

        @Override
        public Pending broadcast(Queue after, Tensor inPlace, int root) {
            return ENDED;
        }

        @Override
        public Pending allToAll(Queue after, Tensor from, Tensor to) {
            return ENDED;
        }

        @Override
        public Pending send(Queue after, Tensor tensor, int peer) {
            return ENDED;
        }

        @Override
        public Pending receive(Queue after, Tensor tensor, int peer) {
            return ENDED;
        }

        @Override
        public void barrier() {}
    }
}
