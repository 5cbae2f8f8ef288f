package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.learningrate.internal.ConstantOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.EvaluationSection;
import io.hirundo.lib.run.section.MeshAxis;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowFactory;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowOptions;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** FP8 activations that are quantized before the gather equal those quantized after it, at half the bytes. */
class QuantizedGatherTest {
    private static final int STEPS = 2;
    private static final int SEQUENCE_TOKENS = 128;
    private static final int MICRO_BATCH = 2;
    private static final int GLOBAL_BATCH = 2;
    private static final int HIDDEN = 256;

    /** Channels of gate and up each. */
    private static final int INTERMEDIATE = 256;

    private static final int TENSOR = 2;

    /**
     * A run of one layer on two tensor-parallel ranks.
     *
     * @param overlap ring, scatter and bulk, as letters; {@code none} for none of them
     */
    private record Way(
            String overlap,
            boolean quantizedGather,
            String scales,
            String blocks,
            String schedule,
            Recompute recompute) {
        Way withoutQuantizedGather() {
            return new Way("none", false, scales, blocks, schedule, recompute);
        }

        int pipeline() {
            return schedule.equals("1f1b") ? 1 : 2;
        }

        /** The layer is on the second stage, if there is one: the first stage does not split its backward pass. */
        List<Integer> stageLayers() {
            return pipeline() == 1 ? List.of() : List.of(0, 1);
        }

        ColumnRowOptions options() {
            return new ColumnRowOptions(
                    true,
                    !overlap.equals("none"),
                    overlap.contains("r"),
                    overlap.contains("s"),
                    overlap.contains("b"),
                    2,
                    quantizedGather);
        }

        PrecisionStrategy precision() {
            return new Fp8BlockwiseFactory()
                    .create(new Fp8BlockwiseOptions(scales, Fp8BlockwiseOptions.E4M3, blocks, 0, 0, true, false));
        }

        RunConfiguration configuration(int sequenceTokens) {
            var defaults = new RunConfiguration();
            var mesh = new MeshSection(
                    Choice.of("local"),
                    TENSOR,
                    1,
                    pipeline(),
                    1,
                    List.of(MeshAxis.values()),
                    Choice.of(schedule),
                    stageLayers(),
                    0,
                    Choice.of("column-row"),
                    Choice.of("ring"),
                    Choice.of("zero1"));
            return new RunConfiguration(
                    1,
                    7,
                    defaults.run(),
                    defaults.model(),
                    defaults.device(),
                    defaults.precision(),
                    mesh,
                    new TrainingSection(STEPS, sequenceTokens, MICRO_BATCH, GLOBAL_BATCH, 1.0, recompute),
                    defaults.optimizer(),
                    defaults.learningRate(),
                    defaults.data(),
                    new EvaluationSection(0, 5, Map.of(), 0, 0),
                    defaults.samples(),
                    defaults.fingerprints(),
                    defaults.checkpoint(),
                    defaults.swap(),
                    defaults.audit(),
                    List.of());
        }

        Strategies strategies(ComputeBackend backend) {
            var sizes = new LlamaOptions(
                    320,
                    HIDDEN,
                    INTERMEDIATE,
                    1,
                    4,
                    4,
                    0,
                    SEQUENCE_TOKENS,
                    1e-5,
                    10000,
                    null,
                    false,
                    0.02,
                    false,
                    false,
                    0);
            return new Strategies(
                    new Strategies.Compute(backend, precision()),
                    new Strategies.Parallel(
                            TestParallel.fabric(),
                            TestParallel.schedule(schedule),
                            new ColumnRowFactory().create(options()),
                            TestParallel.context("ring", true),
                            new Zero1Factory().create(new Zero1Options())),
                    new Strategies.Model(new LlamaFactory().create(sizes), null, Optional.empty()),
                    new Strategies.Step(
                            new AdamWFactory().create(new AdamWOptions()),
                            new ConstantFactory().create(new ConstantOptions(1e-3, 0))),
                    new Strategies.Data(request -> new StructuredTokens(), Map.of(), Optional.empty()),
                    new Strategies.Outcome(Optional.empty(), Optional.empty(), List.of()));
        }

        /** Loss and gradient norm of every step. The last step depends on all earlier gradients. */
        List<Double> train(int sequenceTokens) {
            try (var run = LocalRun.open(configuration(sequenceTokens), strategies(Layouts.cpu()))) {
                var figures = new ArrayList<Double>();
                for (int step = 0; step < STEPS; step++) {
                    var metrics = run.step();
                    figures.add(metrics.loss());
                    figures.add(metrics.gradientNorm());
                }
                return figures;
            }
        }

        List<DryRun.OfRank> planned() {
            var profile = Layouts.cpu().memoryProfile();
            var meta = new MetaOptions(
                    profile.deviceName(), profile.alignmentBytes(), profile.workspaceBytes(), 1L << 40, null);
            return DryRun.of(configuration(SEQUENCE_TOKENS), strategies(new MetaFactory().create(meta)))
                    .ranks();
        }

        /** Bytes of a kind of collective in a step, on a rank that has the layer. */
        long collectiveBytes(String name) {
            return planned().getLast().collectivesPerStep().get(name).movedBytes();
        }
    }

    private static Way aligned(String overlap, boolean quantizedGather) {
        return new Way(
                overlap,
                quantizedGather,
                Fp8BlockwiseOptions.POWER_OF_TWO,
                Fp8BlockwiseOptions.ALIGNED,
                "1f1b",
                Recompute.NONE);
    }

    private static List<Double> expected;

    @BeforeAll
    static void trainWithoutOverlap() {
        expected = aligned("none", false).train(SEQUENCE_TOKENS);
    }

    @ParameterizedTest
    @CsvSource({"none", "r", "s", "b", "rsb"})
    void isBitwiseEqualWithEveryOverlap(String overlap) {
        assertEquals(expected, aligned(overlap, true).train(SEQUENCE_TOKENS));
    }

    /** Also with a split backward pass, with cut blocks of tokens, and with recomputation. */
    @ParameterizedTest
    @CsvSource({
        "power-of-two, aligned, zb-h1, NONE, 128",
        "exact, aligned, 1f1b, NONE, 128",
        "exact, shard-local, 1f1b, FULL, 128",
        "power-of-two, shard-local, zb-h1, FULL, 96",
        "power-of-two, aligned, 1f1b, NONE, 66"
    })
    void isBitwiseEqualWithEveryScale(
            String scales, String blocks, String schedule, Recompute recompute, int sequenceTokens) {
        var way = new Way("rsb", true, scales, blocks, schedule, recompute);
        assertEquals(way.withoutQuantizedGather().train(sequenceTokens), way.train(sequenceTokens));
    }

    /** A split backward pass gathers gradients once per GEMM, each time in the layout that this GEMM reads. */
    @Test
    void savesBytesInSplitBackward() {
        long tokens = (long) GLOBAL_BATCH * SEQUENCE_TOKENS;
        long values = 2 * tokens * HIDDEN;
        long codes = tokens * HIDDEN + tokens * HIDDEN / 128 * 2;
        var way = new Way(
                "none", true, Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.ALIGNED, "zb-h1", Recompute.NONE);
        long saved = way.withoutQuantizedGather().collectiveBytes("all-gather tensor")
                - way.collectiveBytes("all-gather tensor");
        // Rows of two inputs and of two output gradients, each for two GEMMs.
        assertEquals(2 * (2 + 2) * (values - codes), saved);
    }

    /** Rows of x of two column-parallel layers, once for the forward pass and once for the weight gradient. */
    @Test
    void savesBytesOfGatheredActivations() {
        long tokens = (long) GLOBAL_BATCH * SEQUENCE_TOKENS;
        long values = 2 * tokens * HIDDEN;
        long codes = tokens * HIDDEN + tokens * HIDDEN / 128 * 2;
        long gathered = 2 * 2;
        for (String overlap : List.of("none", "b")) {
            long saved = aligned(overlap, false).collectiveBytes("all-gather tensor")
                    - aligned(overlap, true).collectiveBytes("all-gather tensor");
            assertEquals(gathered * (values - codes), saved);
        }
        assertTrue(codes <= 0.51 * values, codes + " of " + values);
        // In a ring each rank sends its own rows and receives those of the other rank.
        for (String direction : List.of("send tensor", "receive tensor")) {
            assertEquals(2 * values / 2 + rowLayers(values), aligned("r", false).collectiveBytes(direction));
            assertEquals(2 * codes / 2 + rowLayers(values), aligned("r", true).collectiveBytes(direction));
        }
    }

    /** Memory and collectives of a run equal the plan. */
    @ParameterizedTest
    @CsvSource({"none, 1f1b", "rsb, 1f1b", "rsb, zb-h1"})
    void equalsThePlan(String overlap, String schedule) {
        var way = new Way(
                overlap,
                true,
                Fp8BlockwiseOptions.POWER_OF_TWO,
                Fp8BlockwiseOptions.ALIGNED,
                schedule,
                Recompute.SELECTIVE);
        List<DryRun.OfRank> planned = way.planned();
        try (var run = LocalRun.open(way.configuration(SEQUENCE_TOKENS), way.strategies(Layouts.cpu()))) {
            for (int step = 0; step < STEPS; step++) {
                run.step();
            }
            var bytes = new HashMap<String, Long>();
            planned.getFirst().collectivesPerStep().forEach((name, work) -> bytes.put(name, work.movedBytes()));
            assertEquals(bytes, run.lastStep().collectiveBytes());
            run.validation().all(() -> false);
            for (int rank = 0; rank < planned.size(); rank++) {
                assertEquals(
                        planned.get(rank).peakBytes(), run.ranks().ledger(rank).peakBytes(), "rank " + rank);
            }
        }
    }

    /** Gradients of two row-parallel layers circulate once for both GEMMs of the backward pass, unquantized. */
    private static long rowLayers(long values) {
        return 2 * values / 2;
    }
}
