package io.hirundo.lib.engine.model;

import io.hirundo.device.Queue;
import io.hirundo.lib.engine.layer.RankLayers;
import io.hirundo.lib.engine.layout.StageOwners;
import io.hirundo.lib.engine.pipeline.BlockWeights;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.Block;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The weights of one rank while blocks use them. Prepares them after an update, and passes gradients to
 * the data-parallel strategy. Sums gradients of parameters that several ranks hold.
 */
public final class RankWeights implements BlockWeights {
    private final Rank rank;
    private final ShardedParameters parameters;
    private final RankLayers layers;
    private final List<List<Parameter>> ofBlock;
    private final Set<Integer> readInForwardOnly;
    private final Map<String, Parameter> memory = new HashMap<>();
    private final Map<String, Integer> blocksLeft = new HashMap<>();
    private final Set<Parameter> sharedByStages = new LinkedHashSet<>();
    /** Blocks that have not run yet: after a swap they must prepare weights that are not new. */
    private final Set<Integer> newBlocks = new HashSet<>();

    RankWeights(Rank rank, ShardedParameters parameters, RankLayers layers, List<Block> blocks) {
        this.rank = rank;
        this.parameters = parameters;
        this.layers = layers;
        this.ofBlock = blocks.stream().map(Block::parameters).toList();
        this.readInForwardOnly = IntStream.range(0, blocks.size())
                .filter(block -> !blocks.get(block).backwardReadsParameters())
                .boxed()
                .collect(Collectors.toUnmodifiableSet());
        prepareAgain();
        parameters.parameters().forEach(parameter -> memory.put(parameter.spec().name(), parameter));
    }

    /** The blocks whose backward reads no weights. */
    Set<Integer> readInForwardOnly() {
        return readInForwardOnly;
    }

    /** Makes all blocks prepare their weights again. */
    public void prepareAgain() {
        for (int block = 0; block < ofBlock.size(); block++) {
            newBlocks.add(block);
        }
    }

    /** Called before the first microbatch of a step. */
    public void beginStep() {
        parameters.zeroGradients(queue());
        blocksLeft.clear();
        for (List<Parameter> block : ofBlock) {
            block.forEach(parameter -> blocksLeft.merge(parameter.spec().name(), 1, Integer::sum));
        }
    }

    /** Called after the last microbatch: gradients of owned parameters are complete for later work. */
    public void finishStep() {
        // Not earlier: other stages may need a transfer from this one before their gradients are complete.
        sharedByStages.forEach(parameter -> ready(parameter, true));
        sharedByStages.clear();
        parameters.finishGradients(queue());
    }

    /** Passes the weights of each block to {@code reader} while they are available, without preparing them. Collective. */
    public void read(Consumer<List<Parameter>> reader) {
        for (int block = 0; block < ofBlock.size(); block++) {
            parameters.before(queue(), block, Action.Kind.FORWARD);
            reader.accept(ofBlock.get(block));
            parameters.after(queue(), block, Action.Kind.FORWARD);
        }
        prepareAgain();
    }

    @Override
    public void before(int block, Action.Kind kind) {
        if (parameters.before(queue(), block, kind)) {
            newBlocks.add(block);
        }
        boolean isRead = kind == Action.Kind.FORWARD || !readInForwardOnly.contains(block);
        if (isRead && newBlocks.remove(block)) {
            layers.prepare(queue(), ofBlock.get(block), parameters::coded);
        }
    }

    @Override
    public void after(int block, Action.Kind kind) {
        if (!parameters.keepsWeights()) {
            // Or quantized copies of all blocks would stay, although the weights do not.
            layers.release(ofBlock.get(block));
            newBlocks.add(block);
        }
        parameters.after(queue(), block, kind);
    }

    @Override
    public void gradientsFound(int block, boolean lastMicrobatch) {
        boolean always = parameters.reducesEveryMicrobatch();
        if (!lastMicrobatch && !always) {
            return;
        }
        for (Parameter parameter : ofBlock.get(block)) {
            boolean complete =
                    lastMicrobatch && blocksLeft.merge(parameter.spec().name(), -1, Integer::sum) == 0;
            if ((always || complete) && isSharedByStages(parameter)) {
                sharedByStages.add(parameter);
            } else if (always || complete) {
                ready(parameter, complete);
            }
        }
    }

    private boolean isSharedByStages(Parameter parameter) {
        ProcessGroup pipeline = rank.along(Axis.PIPELINE);
        return parameter.spec().parts().stream().anyMatch(part -> StageOwners.isSharedByStages(part, pipeline));
    }

    /** {@code complete}: whether this is the last time in the step. */
    private void ready(Parameter parameter, boolean complete) {
        var sums = new ArrayList<Pending>();
        partialRows(parameter).forEach((rows, ranks) -> {
            Tensor partial = parameter.gradient().rows(rows.first(), rows.count());
            sums.add(rank.world().group(ranks).allReduce(queue(), partial, Reduction.SUM));
        });
        Parameter inMemory = memory.get(parameter.spec().name());
        parameters.gradientReady(queue(), inMemory, sums);
        if (complete) {
            parameters.gradientComplete(queue(), inMemory);
        }
    }

    private record Rows(long first, long count) {}

    /** Rows whose gradients several ranks must sum; adjacent parts with the same ranks are merged. */
    private static Map<Rows, List<Integer>> partialRows(Parameter parameter) {
        var partial = new LinkedHashMap<Rows, List<Integer>>();
        long row = 0;
        Rows last = null;
        for (ParameterPart part : parameter.spec().parts()) {
            long count = part.shape().dim(0);
            if (part.replicas().partialGradients()) {
                boolean continues = last != null
                        && last.first() + last.count() == row
                        && partial.get(last).equals(part.replicas().ranks());
                Rows rows = continues ? new Rows(last.first(), last.count() + count) : new Rows(row, count);
                if (continues) {
                    partial.remove(last);
                }
                partial.put(rows, part.replicas().ranks());
                last = rows;
            }
            row += count;
        }
        return partial;
    }

    private Queue queue() {
        return rank.queue();
    }
}
