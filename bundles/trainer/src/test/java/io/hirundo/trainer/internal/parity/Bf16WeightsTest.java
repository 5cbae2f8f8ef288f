package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.data.DataCursor;
import io.hirundo.device.ComputeBackend;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.learningrate.internal.ConstantOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.model.layer.Recompute;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.optimizerlion.internal.LionFactory;
import io.hirundo.optimizerlion.internal.LionOptions;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.trainer.internal.fixture.GlobalState;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** BF16 training without FP32 master weights. */
class Bf16WeightsTest {
    private static final String MASTERS = "fp32";
    private static final String NONE = "none";

    /** Each rank has one microbatch, so that all modes sum the same gradients. */
    private static Layout layout(String mode, int tensor, int pipeline, int data) {
        return new Layout(
                new Extents(tensor, 1, pipeline, data),
                new Ways("1f1b", "ring", mode, true, true),
                Recompute.NONE,
                Layouts.GLOBAL_BATCH / data,
                true,
                2);
    }

    private static RunConfiguration configuration(Layout layout) {
        return Layouts.withoutClipping(Layouts.configuration(layout), Layouts.GLOBAL_BATCH);
    }

    private static Optimizer adamW(String rounding) {
        return new AdamWFactory().create(new AdamWOptions(0.9, 0.95, 1e-8, 0.1, false, rounding, 0));
    }

    private static Strategies strategies(Layout layout, String masters, Optimizer optimizer, ComputeBackend backend) {
        Strategies of = Layouts.strategies(
                layout, new Bf16Factory().create(new Bf16Options(masters)), backend, request -> new StructuredTokens());
        return new Strategies(
                of.compute(),
                of.parallel(),
                of.model(),
                new Strategies.Step(optimizer, of.step().learningRate()),
                of.data(),
                of.outcome());
    }

    private static Trace trace(Layout layout, String masters, String rounding, int steps) {
        return Layouts.run(configuration(layout), steps, strategies(layout, masters, adamW(rounding), Layouts.cpu()));
    }

    private static LocalRun open(Layout layout, String masters) {
        return LocalRun.open(configuration(layout), strategies(layout, masters, adamW("stochastic"), Layouts.cpu()));
    }

    /** Updates of 1e-5 are below half of the distance between most weights, so rounding to nearest loses them. */
    @Test
    void stochasticRoundingFollowsMasterWeightsAndNearestDoesNot() {
        double[] exact = updates(MASTERS, "stochastic");
        assertEquals(1, share(updates(NONE, "stochastic"), exact), 0.05);
        double nearest = share(updates(NONE, "nearest"), exact);
        assertTrue(nearest < 0.7, "share of the updates that rounding to nearest keeps: " + nearest);
    }

    /** How far all weights move in a few steps of a low learning rate. */
    private static double[] updates(String masters, String rounding) {
        Layout layout = layout("zero1", 1, 1, 1);
        Strategies of = strategies(layout, masters, adamW(rounding), Layouts.cpu());
        var slow =
                new Strategies.Step(of.step().optimizer(), new ConstantFactory().create(new ConstantOptions(1e-5, 0)));
        var strategies = new Strategies(of.compute(), of.parallel(), of.model(), slow, of.data(), of.outcome());
        double[] before = flat(Layouts.run(configuration(layout), 0, strategies).weights());
        double[] after = flat(Layouts.run(configuration(layout), 4, strategies).weights());
        return IntStream.range(0, after.length)
                .mapToDouble(i -> after[i] - before[i])
                .toArray();
    }

    private static double[] flat(Map<String, double[]> weights) {
        return weights.values().stream().flatMapToDouble(Arrays::stream).toArray();
    }

    /** Of the exact updates, by least squares. */
    private static double share(double[] updates, double[] exact) {
        double product = 0;
        double squares = 0;
        for (int i = 0; i < exact.length; i++) {
            product += updates[i] * exact[i];
            squares += exact[i] * exact[i];
        }
        return product / squares;
    }

    /** Gradients are the same but for the order of a few sums, which seldom turns a draw. */
    @ParameterizedTest
    @ValueSource(strings = {"zero2", "fsdp", "fsdp in shards of 1"})
    void modesRoundWithTheSameBits(String mode) {
        Trace zero1 = trace(layout("zero1", 1, 1, 2), NONE, "stochastic", 3);
        requireSameWeights(zero1, trace(layout(mode, 1, 1, 2), NONE, "stochastic", 3), 1e-4);
    }

    /**
     * Tensor ranks hold columns of some matrices, pipeline ranks a copy of the tied embedding. Other sums of gradients may turn the direction of a
     * first step where a gradient is near 0.
     */
    @ParameterizedTest
    @CsvSource({"zero1, 2, 1, 1", "fsdp, 1, 2, 1", "zero1, 1, 1, 2"})
    void layoutsRoundWithTheSameBits(String mode, int tensor, int pipeline, int data) {
        Trace alone = trace(layout("zero1", 1, 1, 1), NONE, "stochastic", 1);
        requireSameWeights(alone, trace(layout(mode, tensor, pipeline, data), NONE, "stochastic", 1), 0.01);
    }

    /** {@code share}: of elements that may differ. With other random bits it would be a third. */
    private static void requireSameWeights(Trace expected, Trace found, double share) {
        int elements = 0;
        int others = 0;
        for (Map.Entry<String, double[]> each : expected.weights().entrySet()) {
            double[] weights = found.weights().get(each.getKey());
            for (int i = 0; i < weights.length; i++) {
                elements++;
                others += weights[i] == each.getValue()[i] ? 0 : 1;
            }
        }
        assertTrue(others <= share * elements, others + " of " + elements + " elements differ");
    }

    @ParameterizedTest
    @CsvSource({"zero1, zero1", "fsdp, zero2"})
    void resumesBitwise(String from, String to) {
        Map<String, double[]> saved;
        Map<String, double[]> unbroken;
        try (LocalRun run = open(layout(from, 1, 1, 2), NONE)) {
            run.step();
            run.step();
            saved = GlobalState.of(run);
            run.step();
            unbroken = GlobalState.of(run);
        }
        try (LocalRun run = open(layout(to, 1, 1, 2), NONE)) {
            GlobalState.load(run, saved);
            run.seek(2, DataCursor.BEGINNING);
            run.step();
            Map<String, double[]> resumed = GlobalState.of(run);
            unbroken.forEach((key, values) -> assertArrayEquals(values, resumed.get(key), key));
        }
    }

    @ParameterizedTest
    @CsvSource({"fsdp, 2", "zero1 bf16, 2", "zero1, 1", "zero2, 2", "zero2 in shards of 2, 4"})
    void planHasTheBytesOfTheRun(String mode, int data) {
        Layout split = layout(mode, 1, 1, data);
        try (LocalRun run = open(split, NONE)) {
            run.step();
            run.step();
            run.validation().all(() -> false);
            // As runs do that save checkpoints or change strategies.
            run.exchange("between two steps");
            var profile = Layouts.cpu().memoryProfile();
            var meta = new MetaFactory()
                    .create(new MetaOptions(
                            profile.deviceName(), profile.alignmentBytes(), profile.workspaceBytes(), 1L << 40, null));
            var planned = DryRun.of(configuration(split), strategies(split, NONE, adamW("stochastic"), meta))
                    .ranks();
            for (int rank = 0; rank < data; rank++) {
                assertEquals(
                        run.ranks().ledger(rank).peakBytes(), planned.get(rank).peakBytes(), "rank " + rank);
            }
        }
    }

    @Test
    void rejectsOptimizersThatWouldLoseUpdates() {
        Layout alone = layout("zero1", 1, 1, 1);
        // Only bind, as of an optimizer that does not know of BF16 weights.
        Optimizer unaware = new LionFactory().create(new LionOptions())::bind;
        Strategies of = strategies(alone, NONE, unaware, Layouts.cpu());
        var step = new Strategies.Step(unaware, of.step().learningRate(), type -> List.of("acme for " + type, "lion"));
        var strategies = new Strategies(of.compute(), of.parallel(), of.model(), step, of.data(), of.outcome());
        var failure = assertThrows(ConfigurationException.class, () -> LocalRun.open(configuration(alone), strategies));
        assertTrue(
                failure.getMessage()
                        .endsWith("(allowed: FP32 weights); choose a precision with FP32 master weights,"
                                + " or optimizer=acme for BF16, or optimizer=lion"),
                failure::getMessage);
    }
}
