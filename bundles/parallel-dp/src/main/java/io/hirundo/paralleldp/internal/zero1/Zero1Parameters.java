package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.paralleldp.internal.buffer.BufferedParameters;
import io.hirundo.paralleldp.internal.layout.BlockParameters;
import io.hirundo.paralleldp.internal.weights.StepMoment;
import io.hirundo.precision.WeightCoding;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Buckets of complete weights and gradients, of which each rank owns a slice. A group of one rank sends nothing. */
final class Zero1Parameters extends BufferedParameters<Bucket> {
    private static final int SUMS_AT_ONCE = 2;

    private final List<GradientSums> sums;
    /** Sums in BF16 under way. */
    private final Deque<GradientSums> running = new ArrayDeque<>();

    private final WeightGathers gathers;
    /** How many gathers each block waits for. */
    private final int[] gathersOfBlock;
    /** For each bucket the blocks that have parameters in it. */
    private final List<List<Integer>> blocksOfBucket;

    private final boolean[] stale;
    private Zero1Options options;

    Zero1Parameters(
            Device device,
            ProcessGroup group,
            BlockParameters declared,
            List<Bucket> buckets,
            DType parameterType,
            Zero1Options options) {
        super(device, ShardGroups.one(group), declared, buckets, parameterType, options.gatherCodes());
        this.options = options;
        sums = buckets.stream()
                .map(bucket -> new GradientSums(bucket, names(bucket, declared), isAlone()))
                .toList();
        blocksOfBucket = blocksOfBucket(buckets.size(), buffersOfBlock());
        List<Integer> order = byFirstNeed(buffersOfBlock());
        gathers = new WeightGathers(order.stream().map(buckets::get).toList());
        gathersOfBlock = buffersOfBlock().stream()
                .mapToInt(
                        needed -> needed.stream().mapToInt(order::indexOf).max().orElse(-1) + 1)
                .toArray();
        stale = new boolean[gathersOfBlock.length];
        Arrays.fill(stale, true);
    }

    private static List<String> names(Bucket bucket, BlockParameters declared) {
        return bucket.layout().places().stream()
                .map(place -> declared.specs().get(place.parameter()).name())
                .toList();
    }

    Zero1Options options() {
        return options;
    }

    /** Of the same buckets. */
    void continueWith(Zero1Options others) {
        options = others;
        forms().allowCodes(options.gatherCodes());
    }

    @Override
    protected List<StepMoment> moments(long microbatches) {
        return moments(options);
    }

    /** All gathers start at once, and have ended when the backward allocates gradients and rounds them. */
    private List<StepMoment> moments(Zero1Options given) {
        List<Integer> all = IntStream.range(0, buffers().size()).boxed().toList();
        StepMoment.Gradients gradients = StepMoment.Gradients.of(
                buffers().stream().map(Bucket::absentGradientBytes).toList());
        if (given.reduceInBf16()) {
            Stream<Long> rounded = buffers().stream()
                    .map(Bucket::roundedBytes)
                    .sorted(Comparator.reverseOrder())
                    .limit(SUMS_AT_ONCE);
            gradients = gradients.and(StepMoment.Gradients.of(rounded.toList()));
        }
        return List.of(
                new StepMoment(all, all, StepMoment.Gradients.NONE), new StepMoment(List.of(), List.of(), gradients));
    }

    /** See {@link io.hirundo.parallel.DataParallel#rehearseStep}. */
    void rehearseStep(Zero1Options next, Map<String, DType> types, Map<String, WeightCoding> codings, long freedBytes) {
        rehearse(types, codings, next.gatherCodes(), moments(next), freedBytes);
    }

    @Override
    public void allocateGradients() {
        try (Queue queue = device().newQueue("memory of gradients")) {
            buffers().forEach(bucket -> bucket.allocateGradients(queue));
            queue.drain();
        }
        buffers().forEach(Bucket::releaseLateGradients);
    }

    @Override
    public void zeroGradients(Queue queue) {
        running.clear();
        sums.forEach(sum -> sum.restart(queue));
        buffers().forEach(bucket -> bucket.zeroGradients(queue));
    }

    @Override
    public void releaseGradients() {
        buffers().forEach(Bucket::releaseGradients);
    }

    @Override
    public boolean before(Queue queue, int block, Action.Kind kind) {
        if (forms().isNew()) {
            // Not weightsChanged: the step's gradients stay.
            renewWeights(queue);
        }
        gathers.awaitFirst(queue, gathersOfBlock[block]);
        boolean changed = stale[block];
        stale[block] = false;
        return changed;
    }

    @Override
    public void after(Queue queue, int block, Action.Kind kind) {
        for (int bucket : buffersOfBlock().get(block)) {
            if (blocksOfBucket.get(bucket).stream().noneMatch(each -> stale[each])) {
                buffers().get(bucket).weights().forgetCodes();
            }
        }
    }

    @Override
    public void gradientReady(Queue queue, Parameter parameter, List<Pending> before) {
        GradientSums sum = sums.get(bufferOf(parameter.spec().name()));
        if (sum.ready(parameter.spec().name(), before) && options.overlapGradients()) {
            start(queue, sum);
        }
    }

    /** In BF16 a sum needs memory of its own, so the one before the last ends first. */
    private void start(Queue queue, GradientSums sum) {
        if (!options.reduceInBf16()) {
            sum.start(queue, false);
        } else if (!sum.isStarted()) {
            while (running.size() >= SUMS_AT_ONCE) {
                running.remove().await(queue);
            }
            if (sum.start(queue, true)) {
                running.add(sum);
            }
        }
    }

    @Override
    public void finishGradients(Queue queue) {
        sums.forEach(sum -> start(queue, sum));
        running.clear();
        sums.forEach(sum -> sum.await(queue));
    }

    @Override
    public void weightsChanged(Queue queue) {
        buffers().forEach(Bucket::releaseLateGradients);
        renewWeights(queue);
    }

    private void renewWeights(Queue queue) {
        Arrays.fill(stale, true);
        if (forms().isNew()) {
            gathers.awaitAll(queue);
            renewForms(queue);
        }
        forms().agree(queue, owned());
        gathers.restart(queue);
        if (!options.overlapParameters()) {
            gathers.awaitAll(queue);
        }
    }

    @Override
    public void close() {
        // A message may still be writing: the memory goes when it has ended, or when there is no hope that it does.
        try (Queue queue = device().newQueue("end of messages")) {
            gathers.awaitAll(queue);
            sums.forEach(sum -> sum.await(queue));
            queue.drain();
        } finally {
            closeBuffers();
        }
    }

    /** Buckets in the order in which a forward first needs them. */
    private static List<Integer> byFirstNeed(List<List<Integer>> bucketsOfBlock) {
        return IntStream.range(0, bucketsOfBlock.size())
                .boxed()
                // Within a block the last bucket has the parameters that were declared first.
                .flatMap(block -> bucketsOfBlock.get(block).stream().sorted(Comparator.reverseOrder()))
                .distinct()
                .toList();
    }

    private static List<List<Integer>> blocksOfBucket(int buckets, List<List<Integer>> bucketsOfBlock) {
        return IntStream.range(0, buckets)
                .mapToObj(bucket -> IntStream.range(0, bucketsOfBlock.size())
                        .filter(block -> bucketsOfBlock.get(block).contains(bucket))
                        .boxed()
                        .toList())
                .toList();
    }
}
