package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.paralleldp.internal.buffer.BufferedParameters;
import io.hirundo.paralleldp.internal.gradients.ReduceEvery;
import io.hirundo.paralleldp.internal.layout.BlockParameters;
import io.hirundo.paralleldp.internal.weights.StepMoment;
import io.hirundo.precision.WeightCoding;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Units that are complete while their blocks work, or whose weights stay. What a block has used stays until another block begins, which
 * spares the fetch where the backward begins with the block that ended the forward.
 */
final class FsdpParameters extends BufferedParameters<Unit> {
    private final List<List<Unit>> unitsOfBlock;
    /** For each block the indices of the units whose weights its backward reads. */
    private List<List<Integer>> readInBackward;

    /** Sum of its units' versions that each block has seen. */
    private final long[] seen;

    private final boolean secondStage;
    private final ShardGroups groups;
    private final ReplicaSums replicaSums;
    private boolean measured;
    private UnitGradients.Sum latest;
    private FsdpOptions options;

    FsdpParameters(
            Device device,
            BlockParameters declared,
            List<Unit> units,
            ShardGroups groups,
            DType parameterType,
            FsdpOptions options,
            boolean secondStage) {
        super(device, groups, declared, units, parameterType, options.gatherCodes());
        this.options = options;
        this.secondStage = secondStage;
        this.groups = groups;
        this.replicaSums = new ReplicaSums(device, groups.replicas());
        unitsOfBlock = buffersOfBlock().stream()
                .map(block -> block.stream().map(units::get).toList())
                .toList();
        readInBackward = buffersOfBlock();
        seen = new long[unitsOfBlock.size()];
        Arrays.fill(seen, -1);
    }

    boolean isSecondStage() {
        return secondStage;
    }

    ShardGroups groups() {
        return groups;
    }

    FsdpOptions options() {
        return options;
    }

    /** From the next step on. */
    void continueWith(FsdpOptions others) {
        options = others;
        forms().allowCodes(options.gatherCodes());
    }

    @Override
    public boolean keepsWeights() {
        return secondStage;
    }

    @Override
    public void rehearseGradients(long microbatches) {
        var complete = new ArrayList<Tensor>();
        try {
            // The slices of a single rank are complete.
            List<Unit> accumulating = isAlone() || options.reduceEvery() == ReduceEvery.MICROBATCH || microbatches == 1
                    ? List.of()
                    : buffers();
            accumulating.forEach(unit -> complete.add(unit.gradients().allocateComplete(MemoryCategory.GRADIENTS)));
        } finally {
            complete.forEach(Tensor::close);
        }
    }

    /** See {@link io.hirundo.parallel.DataParallel#rehearseStep}. */
    void rehearseStep(
            FsdpOptions next,
            Map<String, DType> types,
            Map<String, WeightCoding> codings,
            long microbatches,
            long freedBytes) {
        rehearse(types, codings, next.gatherCodes(), memory(next, microbatches).moments(), freedBytes);
    }

    private StepMemory memory(FsdpOptions given, long microbatches) {
        return new StepMemory(
                buffers(),
                buffersOfBlock(),
                readInBackward,
                given,
                secondStage,
                isAlone(),
                groups.replicas().isPresent(),
                microbatches);
    }

    /** False on a single rank of a shard group, which accumulates complete gradients over a step, and with {@link ReduceEvery#STEP}. */
    @Override
    public boolean reducesEveryMicrobatch() {
        return !isAlone() && options.reduceEvery() == ReduceEvery.MICROBATCH;
    }

    @Override
    public void allocateGradients() {
        try (Queue queue = device().newQueue("memory of gradients")) {
            buffers().forEach(unit -> unit.gradients().allocate(queue));
            queue.drain();
        }
        buffers().forEach(unit -> unit.gradients().releaseLate());
    }

    @Override
    public void zeroGradients(Queue queue) {
        finishLatest(queue);
        replicaSums.finish(queue);
        buffers().forEach(unit -> unit.gradients().zero(queue));
    }

    @Override
    public void releaseGradients() {
        buffers().forEach(unit -> unit.gradients().release());
    }

    @Override
    protected void renewForms(Queue queue) {
        super.renewForms(queue);
        measured = false;
    }

    /** Weights come as it is wanted now, with magnitudes of these weights. */
    private void measure(Queue queue) {
        if (forms().isNew()) {
            renewForms(queue);
        }
        if (!measured) {
            forms().agree(queue, owned());
            measured = true;
        }
    }

    @Override
    public void readInForwardOnly(Set<Integer> blocks) {
        List<List<Integer>> all = buffersOfBlock();
        readInBackward = IntStream.range(0, all.size())
                .mapToObj(block -> blocks.contains(block) ? List.<Integer>of() : all.get(block))
                .toList();
    }

    @Override
    public boolean before(Queue queue, int block, Action.Kind kind) {
        measure(queue);
        List<Unit> needed = read(block, kind);
        List<Unit> next = units(memory(options, 1).prefetched(block, kind));
        buffers().stream()
                .filter(unit -> !needed.contains(unit) && !next.contains(unit))
                .forEach(unit -> unit.weights().forget(queue));
        needed.forEach(unit -> unit.weights().fetch(queue));
        needed.forEach(unit -> unit.weights().acquire(queue));
        // Those of a microbatch are on their way to other ranks, and counted as such.
        MemoryCategory category = reducesEveryMicrobatch() ? MemoryCategory.COMMUNICATION : MemoryCategory.GRADIENTS;
        for (Unit unit : unitsOfBlock.get(block)) {
            if (kind == Action.Kind.FORWARD) {
                unit.gradients().openOnDemand(queue, category);
            } else {
                unit.gradients().open(queue, category);
            }
        }
        next.forEach(unit -> unit.weights().fetch(queue));
        if (needed.isEmpty()) {
            return false;
        }
        long version = version(block);
        boolean changed = seen[block] != version;
        seen[block] = version;
        return changed;
    }

    /** The units whose weights the block reads. */
    private List<Unit> read(int block, Action.Kind kind) {
        return units(memory(options, 1).read(block, kind));
    }

    private List<Unit> units(List<Integer> indices) {
        return indices.stream().map(buffers()::get).toList();
    }

    private long version(int block) {
        return unitsOfBlock.get(block).stream()
                .mapToLong(unit -> unit.weights().version())
                .sum();
    }

    /** Whether a block has seen the present weights. */
    private boolean isPrepared(int block) {
        return seen[block] == version(block);
    }

    private IntStream blocksOf(Unit unit) {
        return IntStream.range(0, unitsOfBlock.size())
                .filter(block -> unitsOfBlock.get(block).contains(unit));
    }

    @Override
    public void after(Queue queue, int block, Action.Kind kind) {
        read(block, kind).forEach(unit -> unit.weights().release());
        for (Unit unit : unitsOfBlock.get(block)) {
            unit.gradients().openNoMore();
            if (keepsWeights() && blocksOf(unit).allMatch(this::isPrepared)) {
                unit.weights().forgetCodes();
            }
        }
    }

    @Override
    public void gradientReady(Queue queue, Parameter parameter, List<Pending> before) {
        String name = parameter.spec().name();
        UnitGradients.Sum sum =
                buffers().get(bufferOf(name)).gradients().ready(queue, name, before, options.reduceInBf16());
        if (sum != null) {
            // One at a time under the work: its memory is a whole unit's.
            finishLatest(queue);
            latest = sum;
            if (!options.overlap()) {
                finishLatest(queue);
            }
        }
    }

    @Override
    public void gradientComplete(Queue queue, Parameter parameter) {
        String name = parameter.spec().name();
        UnitGradients gradients = buffers().get(bufferOf(name)).gradients();
        boolean isSummed = latest == null || latest.gradients() != gradients;
        if (gradients.complete(name) && isSummed) {
            sumReplicas(queue, gradients);
        }
    }

    private void sumReplicas(Queue queue, UnitGradients gradients) {
        gradients.sumReplicas(queue, replicaSums, options.reduceInBf16());
        if (!options.overlap()) {
            replicaSums.finish(queue);
        }
    }

    @Override
    public void finishGradients(Queue queue) {
        buffers().forEach(unit -> unit.gradients().requireSent());
        finishLatest(queue);
        buffers().forEach(unit -> sumReplicas(queue, unit.gradients()));
        replicaSums.finish(queue);
    }

    @Override
    public void weightsChanged(Queue queue) {
        buffers().forEach(unit -> unit.gradients().releaseLate());
        buffers().forEach(unit -> unit.weights().changed(queue));
        measured = false;
        if (secondStage || !forms().isNew()) {
            // Now, not at the next use: that may be an evaluation, and every step would not have the same messages.
            // Weights that stay change
            // their form now, too, because the former one may take more memory.
            measure(queue);
        }
    }

    @Override
    public void close() {
        // A message may still be writing: the memory goes when it has ended, or when there is no hope that it does.
        try (Queue queue = device().newQueue("end of messages")) {
            buffers().forEach(unit -> unit.weights().awaitGather(queue));
            awaitLatest(queue);
            replicaSums.finish(queue);
            queue.drain();
        } finally {
            closeBuffers();
        }
    }

    @Override
    protected List<StepMoment> moments(long microbatches) {
        return memory(options, microbatches).moments();
    }

    private void finishLatest(Queue queue) {
        awaitLatest(queue).filter(UnitGradients::isComplete).ifPresent(gradients -> sumReplicas(queue, gradients));
    }

    private Optional<UnitGradients> awaitLatest(Queue queue) {
        var sum = Optional.ofNullable(latest);
        latest = null;
        sum.ifPresent(each -> each.finish(queue));
        return sum.map(UnitGradients.Sum::gradients);
    }
}
