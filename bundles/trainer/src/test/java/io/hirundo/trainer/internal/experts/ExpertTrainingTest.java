package io.hirundo.trainer.internal.experts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.commlocal.internal.fabric.LocalFactory;
import io.hirundo.commlocal.internal.fabric.LocalOptions;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.model.Dims;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.Sharding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.fabric.Rank;
import io.hirundo.testkit.fabric.Ranks;
import io.hirundo.testkit.fixture.FixtureValues;
import io.hirundo.testkit.fixture.Fp64Context;
import io.hirundo.testkit.fixture.Fp64Scope;
import io.hirundo.testkit.scalar.ScalarBackend;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Trains the toy experts, with the gradient of each weight reduced in the group that {@link Sharding} derives for it. */
class ExpertTrainingTest {
    private static final int SEQUENCES = 8;
    private static final int SEQUENCE_TOKENS = 4;
    private static final int STEPS = 5;
    private static final double LEARNING_RATE = 0.05;

    @ParameterizedTest
    @CsvSource({"1, 2, 1", "2, 1, 1", "4, 1, 1", "2, 2, 1", "4, 2, 1", "2, 2, 2"})
    void lossesAreThoseOfOneRank(int experts, int data, int tensor) {
        List<double[]> expected = losses(mesh(1, 1, 1));
        for (double[] losses : losses(mesh(experts, data, tensor))) {
            FixtureValues.requireClose("losses", expected.getFirst(), losses, 1e-11);
        }
    }

    @ParameterizedTest
    @CsvSource({"router.weight, EXPERT DATA", "experts.3.weight, DATA"})
    void expertsHaveAnotherGroup(String path, String axes) {
        var spec = new ToyExperts();
        WeightSpec weight = spec.weights().stream()
                .filter(one -> one.path().equals(path))
                .findFirst()
                .orElseThrow();
        Set<Axis> reduced = Sharding.of(mesh(2, 2, 2), Set.of()).reductionAxes(spec, weight);
        assertEquals(
                Set.of(axes.split(" ")),
                Set.copyOf(reduced.stream().map(Axis::name).toList()));
    }

    /** The balance is of complete sequences, which sequence parallelism splits over tensor ranks. */
    @Test
    void expertsCommunicateAlongTheirAxis() {
        Mesh mesh = mesh(2, 2, 2);
        assertEquals(Set.of(Axis.EXPERT), Sharding.of(mesh, Set.of()).needs(new ToyExperts()));
        Set<String> rows = Set.of(Dims.RESIDUAL_POSITIONS.name());
        assertEquals(Set.of(Axis.EXPERT, Axis.TENSOR), Sharding.of(mesh, rows).needs(new ToyExperts()));
    }

    private static Mesh mesh(int experts, int data, int tensor) {
        var sizes = new LinkedHashMap<Axis, Integer>();
        sizes.put(Axis.TENSOR, tensor);
        sizes.put(Axis.EXPERT, experts);
        sizes.put(Axis.DATA, data);
        return new Mesh(sizes);
    }

    /** The loss of each step, as each rank knows it. */
    private static List<double[]> losses(Mesh mesh) {
        var fabric = new LocalFactory().create(new LocalOptions());
        var ranks = new Ranks(
                mesh, Collections.nCopies(mesh.ranks(), fabric), new ScalarBackend(), world -> List.of(), true);
        return ranks.run(ExpertTrainingTest::losses);
    }

    private static double[] losses(Rank rank) {
        var spec = new ToyExperts();
        World world = rank.world();
        Sharding sharding = Sharding.of(world.mesh(), Set.of());
        var losses = new double[STEPS];
        try (var scope = new Fp64Scope(rank.bench(), rank.bench().device(), sharding, world, Optional.empty())) {
            RunningExperts layer = new RunningExperts.Provider().create(spec, scope);
            Tensor sums = rank.tensor(DType.FP64, 2);
            var context = new Fp64Context(
                    rank.bench().device(),
                    rank.queue(),
                    batch(rank),
                    sums.rows(0, 1),
                    Map.of(spec.balance(), sums.rows(1, 1)),
                    Recompute.NONE);
            Tensor xTC = rank.tensor(
                            DType.FP64, (long) context.batch().tokens() * ToyExperts.HIDDEN, i -> value(rank, i))
                    .reshape(context.batch().tokens(), ToyExperts.HIDDEN);
            for (int step = 0; step < STEPS; step++) {
                rank.bench().write(sums, i -> 0);
                layer.parameters().forEach(parameter -> rank.bench().write(parameter.gradient(), i -> 0));
                pass(layer, context, xTC);
                update(spec, layer.parameters(), sharding, context, world);
                rank.queue()
                        .await(world.along(Axis.EXPERT, Axis.DATA)
                                .allReduce(rank.queue(), sums, Reduction.SUM)
                                .event());
                double[] found = rank.values(sums);
                losses[step] = Fp64Context.GRADIENT_SCALE * found[0] + context.gradientScale(spec.balance()) * found[1];
            }
        }
        return losses;
    }

    /** The loss is half of the sum of squared outputs. */
    private static void pass(RunningExperts layer, Fp64Context context, Tensor xTC) {
        var elementwise = context.device().kernels().elementwise();
        try (var routed = layer.forward(context, xTC);
                Tensor yTC = routed.output(context)) {
            context.device().kernels().optimizer().addSumOfSquares(context.queue(), List.of(yTC), context.lossSum());
            elementwise.scale(context.queue(), context.lossSum(), 0.5);
            elementwise.scale(context.queue(), yTC, context.gradientScale());
            layer.backward(context, yTC, xTC, routed).close();
        }
    }

    private static void update(
            ToyExperts spec, List<Parameter> parameters, Sharding sharding, Fp64Context context, World world) {
        var elementwise = context.device().kernels().elementwise();
        for (WeightSpec weight : spec.weights()) {
            for (Parameter parameter : parameters) {
                if (parameter.spec().name().equals(weight.path())) {
                    ProcessGroup group =
                            world.along(sharding.reductionAxes(spec, weight).toArray(Axis[]::new));
                    context.queue()
                            .await(group.allReduce(context.queue(), parameter.gradient(), Reduction.SUM)
                                    .event());
                    elementwise.scale(context.queue(), parameter.gradient(), -LEARNING_RATE);
                    elementwise.add(context.queue(), parameter.gradient(), parameter.value());
                }
            }
        }
    }

    private static int firstToken(Rank rank) {
        Mesh mesh = rank.world().mesh();
        int place = mesh.coordinate(rank.number(), Axis.DATA) * mesh.size(Axis.EXPERT)
                + mesh.coordinate(rank.number(), Axis.EXPERT);
        return place * sequences(rank) * SEQUENCE_TOKENS;
    }

    private static int sequences(Rank rank) {
        Mesh mesh = rank.world().mesh();
        return SEQUENCES / (mesh.size(Axis.EXPERT) * mesh.size(Axis.DATA));
    }

    private static double value(Rank rank, long index) {
        return FixtureValues.random("x", (long) firstToken(rank) * ToyExperts.HIDDEN + index);
    }

    private static MicroBatch batch(Rank rank) {
        int tokens = sequences(rank) * SEQUENCE_TOKENS;
        int first = firstToken(rank);
        Tensor tokensT = rank.tensor(DType.INT32, tokens, i -> (first + i) * 5 % 8);
        Tensor maskT = rank.tensor(DType.FP32, tokens, i -> 1);
        return new MicroBatch(sequences(rank), SEQUENCE_TOKENS, 1, tokensT, tokensT, maskT, tokensT, Optional.empty());
    }
}
