package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The parameters of one rank. With overlap, sums of gradients run until the backward ends, and gathers of weights until the next forward begins; a queue of
 * gathers for each block would let those of later blocks run longer.
 */
final class __Name__Parameters implements ShardedParameters {
    private final Device device;
    private final ProcessGroup group;
    private final List<__Name__FullParameter> fullParameters;
    private final Map<String, Parameter> owned = new HashMap<>();
    private final Deque<Pending> gathers = new ArrayDeque<>();
    private final Deque<Pending> sums = new ArrayDeque<>();
    /** For each block whether its weights have changed since it was called. */
    private final boolean[] stale;

    private __Name__Options options;

    __Name__Parameters(
            Device device, ProcessGroup group, List<List<ParameterSpec>> blocks, DType type, __Name__Options options) {
        this.device = device;
        this.group = group;
        this.options = options;
        // A parameter that several blocks share is one parameter.
        this.fullParameters = blocks.stream()
                .flatMap(List::stream)
                .distinct()
                .map(spec -> new __Name__FullParameter(device, spec, type))
                .toList();
        this.stale = new boolean[blocks.size()];
        Arrays.fill(stale, true);
        for (__Name__FullParameter full : fullParameters) {
            if (full.count(group.rank(), group.size()) > 0) {
                owned.put(full.spec().name(), full.slice(group.rank(), group.size()));
            }
        }
    }

    void continueWith(__Name__Options others) {
        options = others;
    }

    @Override
    public List<Parameter> parameters() {
        return List.copyOf(fullParameters);
    }

    @Override
    public List<Parameter> owned() {
        return fullParameters.stream()
                .map(full -> owned.get(full.spec().name()))
                .filter(run -> run != null)
                .toList();
    }

    @Override
    public void allocateGradients() {
        fullParameters.forEach(__Name__FullParameter::allocateGradient);
    }

    @Override
    public void zeroGradients(Queue queue) {
        fullParameters.forEach(full -> full.zeroGradient(queue));
    }

    @Override
    public void releaseGradients() {
        fullParameters.forEach(__Name__FullParameter::releaseGradient);
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

    /** Once per step, after the last microbatch. */
    @Override
    public void gradientReady(Queue queue, Parameter parameter, List<Pending> before) {
        before.forEach(pending -> queue.await(pending.event()));
        if (group.size() > 1) {
            sums.add(group.allReduce(queue, parameter.gradient(), Reduction.SUM));
        }
        if (!options.overlap()) {
            awaitAll(queue, sums);
        }
    }

    @Override
    public void finishGradients(Queue queue) {
        awaitAll(queue, sums);
    }

    @Override
    public void weightsChanged(Queue queue) {
        Arrays.fill(stale, true);
        awaitAll(queue, gathers);
        fullParameters.forEach(full -> gather(queue, full, full.value(), gathers));
        if (!options.overlap()) {
            awaitAll(queue, gathers);
        }
    }

    /** Every owner sends its slice. {@code tensor}: with an element for each of the parameter's. */
    private void gather(Queue queue, __Name__FullParameter full, Tensor tensor, Deque<Pending> into) {
        for (int owner = 0; owner < group.size() && group.size() > 1; owner++) {
            long count = full.count(owner, group.size());
            if (count > 0) {
                into.add(group.broadcast(queue, tensor.view(full.first(owner, group.size()), Shape.of(count)), owner));
            }
        }
    }

    private static void awaitAll(Queue queue, Deque<Pending> pendings) {
        while (!pendings.isEmpty()) {
            queue.await(pendings.remove().event());
        }
    }

    /** So that a run can change to another strategy while it trains. */
    @Override
    public boolean isMovable() {
        return true;
    }

    @Override
    public void gatherOwned(
            Queue queue, DType dtype, Function<Parameter, Tensor> ofOwned, BiConsumer<String, Tensor> reader) {
        for (__Name__FullParameter full : fullParameters) {
            String name = full.spec().name();
            try (Tensor all =
                    device.allocate(MemoryCategory.COMMUNICATION, full.spec().shape(), dtype)) {
                Parameter run = owned.get(name);
                Tensor own = run == null ? null : ofOwned.apply(run);
                if (own != null) {
                    device.kernels().elementwise().copy(queue, own, all.view(run.firstElement(), own.shape()));
                }
                Deque<Pending> pendings = new ArrayDeque<>();
                gather(queue, full, all, pendings);
                awaitAll(queue, pendings);
                reader.accept(name, all);
            }
        }
    }

    @Override
    public void rehearseGatherOwned(DType dtype) {
        fullParameters.forEach(full -> device.allocate(
                        MemoryCategory.COMMUNICATION, full.spec().shape(), dtype)
                .close());
    }

    /** Collectives may still write: memory goes when they have ended. */
    @Override
    public void close() {
        try (Queue queue = device.newQueue("end of collectives")) {
            awaitAll(queue, gathers);
            awaitAll(queue, sums);
            queue.drain();
        } finally {
            fullParameters.forEach(__Name__FullParameter::close);
        }
    }
}
