package io.hirundo.testkit.parallel;

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
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A fabric whose collectives deliver their results when they are awaited. Until then these are NaN, so that whoever reads them early fails each time, and not
 * only when the network is slow. Operands of sums that change in flight are failures. Those of gathers may change: a run that resumes sets
 * weights again after a first gather began, and gathers them again. Point-to-point transfers deliver at once.
 */
record LateFabric(Fabric real) implements Fabric {
    @Override
    public List<Integer> localRanks(Mesh mesh) {
        return real.localRanks(mesh);
    }

    @Override
    public World connect(int rank, Mesh mesh, Device device) {
        return new LateWorld(real.connect(rank, mesh, device), device);
    }

    /** One rank's membership, which knows what it has not awaited. */
    static final class LateWorld implements World {
        private final World real;
        private final Device device;
        private final Map<List<Integer>, LateGroup> groups = new HashMap<>();
        private final Set<Late> inFlight = new LinkedHashSet<>();
        private int collectives;

        private LateWorld(World real, Device device) {
            this.real = real;
            this.device = device;
        }

        /** Number of collectives that this rank has joined. */
        int collectives() {
            return collectives;
        }

        /** Names of the collectives that nobody has awaited. */
        List<String> inFlight() {
            return inFlight.stream().map(late -> late.what).toList();
        }

        private ProcessGroup late(ProcessGroup group) {
            return groups.computeIfAbsent(group.ranks(), ranks -> new LateGroup(this, group));
        }

        @Override
        public int rank() {
            return real.rank();
        }

        @Override
        public Mesh mesh() {
            return real.mesh();
        }

        @Override
        public ProcessGroup along(Axis... axes) {
            return late(real.along(axes));
        }

        @Override
        public ProcessGroup group(List<Integer> ranks) {
            return late(real.group(ranks));
        }

        @Override
        public void abort(Throwable cause) {
            real.abort(cause);
        }

        @Override
        public void close() {
            real.close();
        }
    }

    /** A collective that has ended, whose result is kept back. */
    private static final class Late implements Pending, Event {
        private record Kept(Tensor tensor, byte[] bytes) {}

        private final String what;
        private final LateWorld world;
        private final Queue queue;
        private final List<Kept> results = new ArrayList<>();
        private final List<Kept> operands = new ArrayList<>();

        Late(LateWorld world, Queue queue, String what, Pending real) {
            this.world = world;
            this.queue = queue;
            this.what = what;
            real.await();
            world.collectives++;
            world.inFlight.add(this);
        }

        /** Keeps elements of a result back. */
        Late keep(Tensor tensor, long first, long elements) {
            if (elements > 0) {
                Tensor part = tensor.view(first, Shape.of(elements));
                results.add(new Kept(part, HostBytes.read(world.device, queue, part)));
                HostBytes.fillWithNan(world.device, queue, part);
            }
            return this;
        }

        /** Requires that nobody writes to an operand of a sum before its end. */
        Late operand(Tensor tensor) {
            operands.add(new Kept(tensor, HostBytes.read(world.device, queue, tensor)));
            return this;
        }

        @Override
        public Event event() {
            return this;
        }

        @Override
        public boolean hasHappened() {
            await();
            return true;
        }

        @Override
        public void await() {
            if (!world.inFlight.remove(this)) {
                return;
            }
            for (Kept operand : operands) {
                if (!Arrays.equals(operand.bytes, HostBytes.read(world.device, queue, operand.tensor))) {
                    throw new AssertionError(
                            "an operand of " + what + " was written to before the collective had ended");
                }
            }
            results.forEach(result -> HostBytes.write(world.device, queue, result.bytes, result.tensor));
        }
    }

    private record LateGroup(LateWorld world, ProcessGroup real) implements ProcessGroup {
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
            return new Late(
                            world,
                            after,
                            "all-reduce of " + inPlace.elements() + " elements",
                            real.allReduce(after, inPlace, reduction))
                    .keep(inPlace, 0, inPlace.elements())
                    .operand(inPlace);
        }

        /** A rank's own part is there all the time: it is what the rank sends. */
        @Override
        public Pending allGather(Queue after, Tensor shard, Tensor whole) {
            long own = shard.elements();
            long end = (rank() + 1) * own;
            return new Late(
                            world,
                            after,
                            "all-gather of " + whole.elements() + " elements",
                            real.allGather(after, shard, whole))
                    .keep(whole, 0, end - own)
                    .keep(whole, end, whole.elements() - end);
        }

        @Override
        public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
            return new Late(
                            world,
                            after,
                            "reduce-scatter of " + whole.elements() + " elements",
                            real.reduceScatter(after, whole, shard))
                    .keep(shard, 0, shard.elements())
                    .operand(whole)
                    .operand(shard);
        }

        @Override
        public Pending broadcast(Queue after, Tensor inPlace, int root) {
            return new Late(
                            world,
                            after,
                            "broadcast of " + inPlace.elements() + " elements",
                            real.broadcast(after, inPlace, root))
                    .keep(inPlace, 0, rank() == root ? 0 : inPlace.elements());
        }

        @Override
        public Pending allToAll(Queue after, Tensor from, Tensor to) {
            return new Late(
                            world,
                            after,
                            "all-to-all of " + to.elements() + " elements",
                            real.allToAll(after, from, to))
                    .keep(to, 0, to.elements());
        }

        @Override
        public Pending send(Queue after, Tensor tensor, int peer) {
            world.collectives++;
            return real.send(after, tensor, peer);
        }

        @Override
        public Pending receive(Queue after, Tensor tensor, int peer) {
            world.collectives++;
            return real.receive(after, tensor, peer);
        }

        @Override
        public void barrier() {
            world.collectives++;
            real.barrier();
        }
    }
}
