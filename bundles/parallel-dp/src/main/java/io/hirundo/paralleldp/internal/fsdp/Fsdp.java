package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.model.parameter.Replicas;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.gradients.GradientReduction;
import io.hirundo.paralleldp.internal.gradients.GradientType;
import io.hirundo.paralleldp.internal.gradients.ReduceEvery;
import io.hirundo.paralleldp.internal.layout.BlockParameters;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.layout.Layouts;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;
import io.hirundo.paralleldp.internal.weights.WeightMemoryRemedy;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sharded gradients, ZeRO's second and third stage (Rajbhandari et al. 2020, arXiv 1910.02054; Zhao et al. 2023, arXiv 2304.11277):
 * every rank keeps a slice of the master weights and gradients of each block. It has a block's complete gradients only during the
 * block's backward (with {@link ReduceEvery#STEP} from the first to the last one of a step), and the weights that layers read only while the block works, or, in the second stage, always.
 */
final class Fsdp implements DataParallel {
    private final FsdpOptions options;
    private final boolean keepsWeights;

    Fsdp(FsdpOptions options) {
        this(options, false);
    }

    /** {@code keepsWeights}: the second stage, {@code zero2}. */
    Fsdp(FsdpOptions options, boolean keepsWeights) {
        this.options = options;
        this.keepsWeights = keepsWeights;
    }

    @Override
    public ShardedParameters bind(
            Device device, ProcessGroup group, List<List<ParameterSpec>> blocks, DType parameterType) {
        return bind(device, group, blocks, parameterType, spec -> Ownership.ELEMENTS);
    }

    @Override
    public ShardedParameters bind(
            Device device,
            ProcessGroup group,
            List<List<ParameterSpec>> blocks,
            DType parameterType,
            Function<ParameterSpec, Ownership> ownership) {
        if (shardSize(group.size()) != group.size()) {
            throw new UnsupportedOperationException("with replicas, bind takes ShardGroups");
        }
        return bind(device, ShardGroups.one(group), blocks, parameterType, ownership);
    }

    @Override
    public ShardedParameters bind(
            Device device,
            ShardGroups groups,
            List<List<ParameterSpec>> blocks,
            DType parameterType,
            Function<ParameterSpec, Ownership> ownership) {
        DType updateType = Parameter.updateType(parameterType);
        GradientReduction.check(options.reduceInBf16(), updateType);
        ProcessGroup group = groups.shard();
        requireOneForLateGradients(group.size());
        boolean isFirst =
                group.rank() == 0 && groups.replicas().map(ProcessGroup::rank).orElse(0) == 0;
        DType gradientType = GradientType.of(options.gradientType(), updateType, group.size());
        BlockParameters declared = BlockParameters.of(blocks);
        Layouts layouts = Layouts.of(declared.specs(), together(declared), isFirst, group.size(), ownership);
        var units = new ArrayList<Unit>();
        for (BucketLayout layout : layouts.buckets()) {
            List<ParameterSpec> specs = layout.places().stream()
                    .map(place -> declared.specs().get(place.parameter()))
                    .toList();
            var weights = new ShardedWeights(device, group, layout, parameterType, keepsWeights);
            var gradients =
                    new UnitGradients(device, group, layout, updateType, gradientType, options.lateGradients(), specs);
            units.add(new Unit(layout, weights, gradients));
        }
        return new FsdpParameters(device, declared, units, groups, parameterType, options, keepsWeights);
    }

    @Override
    public int shardSize(int ranks) {
        int size = options.shardSize() == FsdpOptions.ALL_RANKS ? ranks : options.shardSize();
        if (ranks % size != 0) {
            String divisors = IntStream.rangeClosed(1, ranks)
                    .filter(each -> ranks % each == 0)
                    .mapToObj(Integer::toString)
                    .collect(Collectors.joining(", "));
            throw new ConfigurationException("mesh.dataParallel.options.shardSize: " + size + " is wrong with " + ranks
                    + " ranks along mesh.data and mesh.context (allowed: " + divisors
                    + "); set it to one of these, or to 0 for all ranks");
        }
        requireOneForLateGradients(size);
        return size;
    }

    private void requireOneForLateGradients(int shardRanks) {
        if (options.lateGradients() && shardRanks > 1) {
            throw new ConfigurationException("mesh.dataParallel.options.lateGradients: true is wrong with " + shardRanks
                    + " ranks in a shard group (allowed: false); set it to false,"
                    + " or mesh.dataParallel.options.shardSize to 1");
        }
    }

    @Override
    public DType gradientType(DType parameterType, int ranks) {
        return GradientType.of(options.gradientType(), Parameter.updateType(parameterType), shardSize(ranks));
    }

    @Override
    public Optional<Runnable> takeOver(ShardedParameters present) {
        if (present instanceof FsdpParameters mine
                && mine.isSecondStage() == keepsWeights
                && mine.options().gradientType().equals(options.gradientType())
                && mine.options().lateGradients() == options.lateGradients()
                && mine.groups().shard().size() == shardSize(mine.groups().ranks())) {
            GradientReduction.check(options.reduceInBf16(), Parameter.updateType(mine.masterType()));
            return Optional.of(() -> mine.continueWith(options));
        }
        return Optional.empty();
    }

    @Override
    public void rehearseStep(
            ShardedParameters parameters,
            Map<String, DType> types,
            Map<String, WeightCoding> codings,
            long microbatches,
            long freedBytes) {
        ((FsdpParameters) parameters).rehearseStep(options, types, codings, microbatches, freedBytes);
    }

    @Override
    public boolean gathersQuantized() {
        return options.gatherCodes();
    }

    @Override
    public Optional<String> weightMemoryRemedy(boolean canQuantize) {
        if (canQuantize && !options.gatherCodes()) {
            return Optional.of(WeightMemoryRemedy.GATHER_QUANTIZED);
        }
        if (keepsWeights) {
            return Optional.of(WeightMemoryRemedy.SHARD);
        }
        return options.overlap() ? Optional.of(WeightMemoryRemedy.ONE_BLOCK) : Optional.empty();
    }

    /**
     * What parameters have in common that are needed, and complete, at the same time.
     *
     * @param blocks that have them
     * @param summands the ranks, besides those of the group, that each find a part of a gradient: another pipeline stage may find
     *     its part much later
     */
    private record Fate(List<Integer> blocks, Set<List<Integer>> summands) {}

    private static Collection<List<Integer>> together(BlockParameters declared) {
        var blocksOf = new LinkedHashMap<Integer, List<Integer>>();
        for (int block = 0; block < declared.ofBlock().size(); block++) {
            for (int parameter : declared.ofBlock().get(block)) {
                blocksOf.computeIfAbsent(parameter, unknown -> new ArrayList<>())
                        .add(block);
            }
        }
        var byFate = new LinkedHashMap<Fate, List<Integer>>();
        blocksOf.forEach((parameter, blocks) -> {
            var fate = new Fate(blocks, summands(declared.specs().get(parameter)));
            byFate.computeIfAbsent(fate, unknown -> new ArrayList<>()).add(parameter);
        });
        return byFate.values();
    }

    private static Set<List<Integer>> summands(ParameterSpec spec) {
        return spec.parts().stream()
                .map(ParameterPart::replicas)
                .filter(Replicas::partialGradients)
                .map(Replicas::ranks)
                .collect(Collectors.toSet());
    }
}
