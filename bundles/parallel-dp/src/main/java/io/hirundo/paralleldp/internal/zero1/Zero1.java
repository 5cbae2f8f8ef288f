package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.gradients.GradientReduction;
import io.hirundo.paralleldp.internal.gradients.GradientType;
import io.hirundo.paralleldp.internal.layout.BlockParameters;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.layout.Layouts;
import io.hirundo.paralleldp.internal.weights.WeightMemoryRemedy;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The distributed optimizer, ZeRO's first stage (Rajbhandari et al. 2020, arXiv 1910.02054): every rank holds all weights that
 * layers read and all gradients, and updates one slice of each bucket, of which it holds the master weights. The one message of plain
 * data parallelism becomes two of half the size: gradients are reduce-scattered, weights are gathered.
 */
public final class Zero1 implements DataParallel {
    private final Zero1Options options;

    public Zero1(Zero1Options options) {
        this.options = options;
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
        GradientReduction.check(options.reduceInBf16(), Parameter.updateType(parameterType));
        DType gradientType = gradientType(parameterType, group.size());
        BlockParameters declared = BlockParameters.of(blocks);
        List<Long> elements =
                declared.specs().stream().map(spec -> spec.shape().elements()).toList();
        long closing = options.closingElements(
                elements.stream().mapToLong(Long::longValue).sum(), group.size());
        Layouts layouts = Layouts.of(
                declared.specs(), BucketLayout.groups(elements, closing), group.rank() == 0, group.size(), ownership);
        var buckets = new ArrayList<Bucket>();
        for (BucketLayout layout : layouts.buckets()) {
            buckets.add(new Bucket(device, group, layout, parameterType, gradientType, options.lateGradients()));
        }
        return new Zero1Parameters(device, group, declared, buckets, parameterType, options);
    }

    @Override
    public DType gradientType(DType parameterType, int ranks) {
        return GradientType.of(options.gradientType(), Parameter.updateType(parameterType), ranks);
    }

    @Override
    public Optional<Runnable> takeOver(ShardedParameters present) {
        if (present instanceof Zero1Parameters mine
                && mine.options().bucketElements() == options.bucketElements()
                && mine.options().gradientType().equals(options.gradientType())
                && mine.options().lateGradients() == options.lateGradients()) {
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
        ((Zero1Parameters) parameters).rehearseStep(options, types, codings, freedBytes);
    }

    @Override
    public boolean gathersQuantized() {
        return options.gatherCodes();
    }

    @Override
    public Optional<String> weightMemoryRemedy(boolean canQuantize) {
        return Optional.of(
                canQuantize && !options.gatherCodes() ? WeightMemoryRemedy.GATHER_QUANTIZED : WeightMemoryRemedy.SHARD);
    }
}
