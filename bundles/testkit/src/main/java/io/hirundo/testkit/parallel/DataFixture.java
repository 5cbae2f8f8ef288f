package io.hirundo.testkit.parallel;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.World;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.fabric.Ranks;
import io.hirundo.testkit.fixture.IdleFabric;
import io.hirundo.testkit.scalar.value.HostValues;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongToDoubleFunction;

/** One rank's parameters of {@link FixtureBlocks}, and steps that call them as the trainer does. Confined to the rank's thread. */
final class DataFixture implements AutoCloseable {
    /** A run of elements that this rank owns, with a copy of values or gradients. */
    record Run(ParameterSpec spec, long firstElement, double[] values) {}

    final Bench bench;
    final World world;
    final ShardGroups groups;
    final ShardedParameters parameters;
    private final DType weightType;
    private boolean closed;
    private Function<Tensor, List<Pending>> sumsOfOtherAxes = gradient -> List.of();

    private DataFixture(Bench bench, World world, ShardGroups groups, ShardedParameters parameters, DType weightType) {
        this.bench = bench;
        this.world = world;
        this.groups = groups;
        this.parameters = parameters;
        this.weightType = weightType;
    }

    static DataFixture bind(
            DataParallelOffer offer,
            DataParallel strategy,
            Bench bench,
            World world,
            Function<ParameterSpec, Ownership> ownership) {
        ShardGroups groups = ShardGroups.of(world, strategy);
        ShardedParameters parameters =
                strategy.bind(bench.device(), groups, FixtureBlocks.ALL, offer.weightType(), ownership);
        try {
            parameters.encode(Map.of());
            parameters.hold(Map.of());
            return new DataFixture(bench, world, groups, parameters, offer.weightType());
        } catch (RuntimeException | Error failure) {
            parameters.close();
            throw failure;
        }
    }

    /** One of so many ranks alone on a fabric that moves nothing: for what a strategy allocates, and not for values. */
    static void alone(
            DataParallelOffer offer, ComputeBackend backend, int ranks, int rank, Consumer<DataFixture> program) {
        try (Bench bench = Bench.open(backend)) {
            World world = new IdleFabric().connect(rank, Ranks.mesh(1, 1, ranks), bench.device());
            try (DataFixture fixture = bind(offer, offer.strategy(), bench, world, spec -> Ownership.ELEMENTS)) {
                program.accept(fixture);
            }
        }
    }

    Queue queue() {
        return bench.queue();
    }

    /** Whether there are other ranks to have values from. */
    boolean hasValues() {
        return world instanceof LateFabric.LateWorld;
    }

    /** Ranks along the data and context axes. */
    int ranks() {
        return groups.ranks();
    }

    /** As an optimizer and the trainer do after a step. */
    void update(int step) {
        setOwned(step);
        parameters.weightsChanged(queue());
    }

    void setOwned(int step) {
        for (Parameter run : parameters.owned()) {
            Tensor value = run.value();
            LongToDoubleFunction weights = FixtureBlocks.weights(run.spec().name(), step);
            if (hasValues()) {
                bench.write(value, i -> weights.applyAsDouble(run.firstElement() + i));
            }
        }
    }

    List<Run> owned(Function<Parameter, Tensor> tensor) {
        return parameters.owned().stream()
                .map(run -> new Run(run.spec(), run.firstElement(), bench.read(tensor.apply(run))))
                .toList();
    }

    List<Run> ownedGradients() {
        return owned(Parameter::gradient);
    }

    /** Fails unless this rank's master weights are those of a step. */
    void requireMasters(int step) {
        for (Run run : owned(Parameter::value)) {
            requireWeights("master weight", run, step, weightType);
        }
    }

    private void requireWeights(String what, Run run, int step, DType dtype) {
        LongToDoubleFunction weights = FixtureBlocks.weights(run.spec.name(), step);
        for (int i = 0; i < run.values.length; i++) {
            long element = run.firstElement + i;
            double expected = HostValues.rounded(dtype, HostValues.rounded(weightType, weights.applyAsDouble(element)));
            if (run.values[i] != expected) {
                throw new AssertionError(what + " " + element + " of " + run.spec.name() + " is " + run.values[i]
                        + " after step " + step + ", expected " + expected + ", bitwise");
            }
        }
    }

    /** A forward without a backward. */
    void forward() {
        for (int block = 0; block < FixtureBlocks.ALL.size(); block++) {
            parameters.before(queue(), block, Kind.FORWARD);
            parameters.after(queue(), block, Kind.FORWARD);
        }
    }

    /** A forward without a backward, in which layers read the weights of a step in these dtypes, or in that of the masters. */
    void requireForward(int step, Map<String, DType> types) {
        for (int block = 0; block < FixtureBlocks.ALL.size(); block++) {
            parameters.before(queue(), block, Kind.FORWARD);
            requireWeights(block, step, types);
            parameters.after(queue(), block, Kind.FORWARD);
        }
    }

    /** Fails unless a block's weights, between before() and after(), are those of a step. */
    void requireWeights(int block, int step, Map<String, DType> types) {
        for (ParameterSpec spec : FixtureBlocks.ALL.get(block)) {
            requireValue(spec, step, types.getOrDefault(spec.name(), weightType));
        }
    }

    /** {@code held}: the dtype that layers ask for; a strategy may keep that of the masters. */
    void requireValue(ParameterSpec spec, int step, DType held) {
        Tensor value = parameter(spec).value();
        if (!value.shape().equals(spec.shape())) {
            throw new AssertionError(
                    "the value of " + spec.name() + " has the shape " + value.shape() + ", expected " + spec.shape());
        }
        if (value.dtype() != held && value.dtype() != weightType) {
            throw new AssertionError("the value of " + spec.name() + " is " + value.dtype() + ", expected " + held
                    + " or " + weightType);
        }
        requireWeights("weight", new Run(spec, 0, bench.read(value)), step, value.dtype());
    }

    Parameter parameter(ParameterSpec spec) {
        return parameters.parameters().stream()
                .filter(each -> each.spec().equals(spec))
                .findFirst()
                .orElseThrow(() -> new AssertionError("parameters() lacks " + spec.name()));
    }

    /** From now on, {@link ShardedParameters#gradientReady} gets a sum over another axis that doubles the gradient when it is awaited. */
    void withDoubledGradients() {
        sumsOfOtherAxes = gradient -> List.of(new DoubledGradient(bench, gradient));
    }

    /** Gradients of a step, reduced. */
    void accumulate(int step, int microbatches, boolean halvesApart) {
        parameters.zeroGradients(queue());
        backward(step, microbatches, halvesApart);
        parameters.finishGradients(queue());
    }

    /** Gradients of a step, whose reduction may be in flight. */
    void backward(int step, int microbatches, boolean halvesApart) {
        new FixtureStep(this, step, halvesApart, sumsOfOtherAxes).run(microbatches);
    }

    /** Closes the parameters now. */
    void closeParameters() {
        if (!closed) {
            closed = true;
            parameters.close();
        }
    }

    @Override
    public void close() {
        closeParameters();
    }
}
