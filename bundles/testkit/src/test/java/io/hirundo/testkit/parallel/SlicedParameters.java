package io.hirundo.testkit.parallel;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.model.parameter.Replicas;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** The parameters of {@link EvenSlices}. */
class SlicedParameters implements ShardedParameters {
    final Device device;
    final ShardGroups groups;
    final List<Whole> all = new ArrayList<>();
    final Deque<Pending> gathers = new ArrayDeque<>();
    final Deque<Pending> sums = new ArrayDeque<>();
    final boolean[] stale;
    private final DType type;
    private final List<Parameter> owned = new ArrayList<>();

    SlicedParameters(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
        this.device = device;
        this.groups = groups;
        this.type = type;
        stale = new boolean[blocks.size()];
        blocks.stream().flatMap(List::stream).distinct().forEach(spec -> all.add(new Whole(spec)));
        int rank = groups.shard().rank();
        for (Whole whole : all) {
            if (first(whole, rank + 1) > first(whole, rank)) {
                owned.add(new Slice(whole, first(whole, rank), first(whole, rank + 1) - first(whole, rank)));
            }
        }
    }

    final class Whole implements Parameter {
        private final ParameterSpec spec;
        private final Tensor value;
        Tensor gradient;

        Whole(ParameterSpec spec) {
            this.spec = spec;
            value = device.allocate(MemoryCategory.WEIGHTS, spec.shape(), type);
        }

        @Override
        public ParameterSpec spec() {
            return spec;
        }

        @Override
        public Tensor value() {
            return value;
        }

        @Override
        public Tensor gradient() {
            return gradient;
        }
    }

    private final class Slice implements Parameter {
        private final Whole whole;
        private final long first;
        private final long count;

        Slice(Whole whole, long first, long count) {
            this.whole = whole;
            this.first = first;
            this.count = count;
        }

        @Override
        public ParameterSpec spec() {
            ParameterSpec spec = whole.spec;
            return new ParameterSpec(
                    spec.name(),
                    spec.parts().stream().map(part -> part.with(replicas())).toList(),
                    spec.initialization());
        }

        @Override
        public long firstElement() {
            return first;
        }

        @Override
        public Tensor value() {
            return whole.value.view(first, Shape.of(count));
        }

        @Override
        public Tensor gradient() {
            return whole.gradient.view(first, Shape.of(count));
        }
    }

    Replicas replicas() {
        return groups.replicas()
                .map(group -> new Replicas(group.ranks(), group.rank(), false))
                .orElse(Replicas.NONE);
    }

    /** The first element that a rank owns. */
    private long first(Whole whole, int rank) {
        return whole.spec.shape().elements() * rank / groups.shard().size();
    }

    @Override
    public List<Parameter> parameters() {
        return List.copyOf(all);
    }

    @Override
    public List<Parameter> owned() {
        return owned;
    }

    boolean communicates() {
        return groups.shard().size() > 1;
    }

    /** Sends each slice of a tensor like the complete parameter to all ranks. */
    private void gather(Queue queue, Whole whole, Tensor tensor, Deque<Pending> into) {
        for (int rank = 0; rank < groups.shard().size() && communicates(); rank++) {
            long count = first(whole, rank + 1) - first(whole, rank);
            if (count > 0) {
                into.add(groups.shard().broadcast(queue, tensor.view(first(whole, rank), Shape.of(count)), rank));
            }
        }
    }

    static void awaitAll(Queue queue, Deque<Pending> pendings) {
        while (!pendings.isEmpty()) {
            queue.await(pendings.remove().event());
        }
    }

    @Override
    public boolean isMovable() {
        return true;
    }

    @Override
    public void gatherOwned(
            Queue queue, DType dtype, Function<Parameter, Tensor> ofOwned, BiConsumer<String, Tensor> reader) {
        for (Whole whole : all) {
            try (Tensor all = device.allocate(MemoryCategory.COMMUNICATION, whole.spec.shape(), dtype)) {
                for (Parameter run : owned) {
                    Tensor own = run.spec().name().equals(whole.spec.name()) ? ofOwned.apply(run) : null;
                    if (own != null) {
                        device.kernels().elementwise().copy(queue, own, all.view(run.firstElement(), own.shape()));
                    }
                }
                var pendings = new ArrayDeque<Pending>();
                gather(queue, whole, all, pendings);
                awaitAll(queue, pendings);
                reader.accept(whole.spec.name(), all);
            }
        }
    }

    @Override
    public void rehearseGatherOwned(DType dtype) {
        all.forEach(whole -> device.allocate(MemoryCategory.COMMUNICATION, whole.spec.shape(), dtype)
                .close());
    }

    @Override
    public void allocateGradients() {
        for (Whole whole : all) {
            if (whole.gradient == null) {
                whole.gradient =
                        device.allocate(MemoryCategory.GRADIENTS, whole.spec.shape(), Parameter.updateType(type));
            }
        }
    }

    @Override
    public void releaseGradients() {
        for (Whole whole : all) {
            if (whole.gradient != null) {
                whole.gradient.close();
                whole.gradient = null;
            }
        }
    }

    @Override
    public void zeroGradients(Queue queue) {
        allocateGradients();
        all.forEach(whole -> device.kernels().elementwise().fill(queue, whole.gradient, 0));
    }

    @Override
    public boolean before(Queue queue, int block, Action.Kind kind) {
        awaitAll(queue, gathers);
        boolean changed = stale[block];
        stale[block] = false;
        return changed;
    }

    @Override
    public void after(Queue queue, int block, Action.Kind kind) {}

    @Override
    public void gradientReady(Queue queue, Parameter parameter, List<Pending> before) {
        before.forEach(pending -> queue.await(pending.event()));
        sum(queue, parameter, groups.shard());
    }

    void sum(Queue queue, Parameter parameter, ProcessGroup ranks) {
        if (communicates()) {
            sums.add(ranks.allReduce(queue, parameter.gradient(), Reduction.SUM));
        }
    }

    @Override
    public void finishGradients(Queue queue) {
        awaitAll(queue, sums);
        groups.replicas().ifPresent(ranks -> {
            all.forEach(whole -> sum(queue, whole, ranks));
            awaitAll(queue, sums);
        });
    }

    @Override
    public void weightsChanged(Queue queue) {
        Arrays.fill(stale, true);
        awaitAll(queue, gathers);
        all.forEach(whole -> gather(queue, whole, whole.value, gathers));
    }

    @Override
    public void close() {
        try (Queue queue = device.newQueue("end of collectives")) {
            awaitAll(queue, gathers);
            awaitAll(queue, sums);
        } finally {
            releaseGradients();
            all.forEach(whole -> whole.value.close());
        }
    }
}
