package io.hirundo.testkit.trial;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import io.hirundo.model.MatrixSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.LayerScope;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.parallel.Sharding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The scope of one rank in FP64. Weights are functions of their published name and the index in the complete tensor. */
public final class TrialScope implements LayerScope, AutoCloseable {
    private final Bench bench;
    private final Device device;
    private final Sharding sharding;
    private final World world;
    private final Optional<ContextParallel> context;
    private final Map<String, Weight> weights = new LinkedHashMap<>();
    private final Map<Object, AutoCloseable> shared = new LinkedHashMap<>();

    /** {@code device}: the bench's, or one that counts its calls. */
    public TrialScope(Bench bench, Device device, Sharding sharding, World world, Optional<ContextParallel> context) {
        this.bench = bench;
        this.device = device;
        this.sharding = sharding;
        this.world = world;
        this.context = context;
    }

    private record Weight(ParameterSpec spec, Tensor value, Tensor gradient) implements Parameter {}

    @Override
    public Device device() {
        return device;
    }

    @Override
    public Queue queue() {
        return bench.queue();
    }

    @Override
    public DType activationType() {
        return DType.FP64;
    }

    @Override
    public Sharding sharding() {
        return sharding;
    }

    @Override
    public ProcessGroup group(Axis axis) {
        return world.along(axis);
    }

    @Override
    public Parameter parameter(WeightSpec weight) {
        return declare(
                new ParameterSpec(weight.path(), List.of(sharding.part(weight, this::group)), weight.initialization()));
    }

    private Weight declare(ParameterSpec spec) {
        Weight weight = weights.computeIfAbsent(spec.name(), name -> create(spec));
        if (!weight.spec.equals(spec)) {
            throw new AssertionError(
                    "weight " + spec.name() + " is declared twice, as " + weight.spec + " and as " + spec);
        }
        return weight;
    }

    private Weight create(ParameterSpec spec) {
        var values = new ArrayList<Double>();
        for (ParameterPart part : spec.parts()) {
            for (long index : ElementIndices.of(part)) {
                values.add(TrialValues.random(part.path(), index));
            }
        }
        long[] dims = spec.shape().dims().stream().mapToLong(Long::longValue).toArray();
        return new Weight(
                spec, bench.tensor(DType.FP64, i -> values.get((int) i), dims), bench.tensor(DType.FP64, i -> 0, dims));
    }

    public List<Parameter> parameters() {
        return List.copyOf(weights.values());
    }

    @Override
    public LocalMatrix matrix(MatrixSpec matrix) {
        List<ParameterPart> parts = matrix.weights().stream()
                .map(weight -> sharding.part(weight, this::group))
                .toList();
        Weight weight = declare(new ParameterSpec(
                matrix.name(), parts, matrix.weights().getFirst().initialization()));
        return new Matrix(device.kernels().gemm(), weight);
    }

    /** Plain GEMMs. */
    private record Matrix(GemmKernels gemm, Weight weight) implements LocalMatrix {
        @Override
        public void forward(Queue queue, Tensor xTK, Tensor yTN) {
            gemm.multiplyNT(queue, xTK, weight.value, yTN, false);
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, Tensor dxTK) {
            gemm.multiplyNN(queue, dyTN, weight.value, dxTK, false);
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK) {
            gemm.multiplyTN(queue, dyTN, xTK, weight.gradient, true);
        }
    }

    @Override
    public AttentionCore attention(Heads heads, AttentionOptions options) {
        return group(Axis.CONTEXT).size() == 1
                ? new SequenceAttention(heads, options)
                : context.orElseThrow(() ->
                                new AssertionError("the layer calls LayerScope.attention: override contextParallel()"))
                        .attention(group(Axis.CONTEXT), heads, options);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends AutoCloseable> T shared(Object key, Supplier<T> create) {
        return (T) shared.computeIfAbsent(key, any -> create.get());
    }

    @Override
    public void close() {
        try {
            for (AutoCloseable each : shared.values()) {
                each.close();
            }
        } catch (Exception e) {
            throw new AssertionError("what the layers share does not close: " + e, e);
        }
    }
}
