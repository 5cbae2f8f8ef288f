package io.hirundo.planner.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.StepContext;
import io.hirundo.optimizermuon.internal.MuonFactory;
import io.hirundo.optimizermuon.internal.MuonOptions;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.fixture.Replaced;
import io.hirundo.trainer.internal.fixture.WholeMatrices;
import io.hirundo.trainer.internal.parity.LayoutMatrix;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A plan that counts one rank of each kind has the counts of all ranks together. */
class RankClassesTest {
    private static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());
    private static final PrecisionStrategy FP8 = new Fp8BlockwiseFactory()
            .create(new Fp8BlockwiseOptions(
                    Fp8BlockwiseOptions.POWER_OF_TWO,
                    Fp8BlockwiseOptions.E4M3,
                    Fp8BlockwiseOptions.SHARD_LOCAL,
                    0,
                    0,
                    true,
                    false));

    private static final int PRECISIONS = 3;

    /** As devices have it: shards of unequal sizes then take unequal memory. */
    private static final long ALIGNMENT_BYTES = 256;

    @ParameterizedTest
    @MethodSource
    void countsAsAllRanksTogether(Layout layout, PrecisionStrategy precision) {
        RunConfiguration configuration = Layouts.configuration(layout);
        check(configuration, strategies(layout, precision));
    }

    private static void check(RunConfiguration configuration, Strategies strategies) {
        List<DryRun.OfRank> together = AllRanks.of(configuration, strategies);
        List<DryRun.OfRank> planned = DryRun.of(configuration, strategies).ranks();
        assertEquals(together.size(), planned.size());
        for (int rank = 0; rank < planned.size(); rank++) {
            String which = "rank " + rank;
            assertEquals(together.get(rank).peakBytes(), planned.get(rank).peakBytes(), which);
            assertEquals(together.get(rank).peakTotalBytes(), planned.get(rank).peakTotalBytes(), which);
            assertEquals(
                    together.get(rank).collectivesPerStep(), planned.get(rank).collectivesPerStep(), which);
            assertEquals(together.get(rank).gemmSummary(), planned.get(rank).gemmSummary(), which);
            assertEquals(gemms(together.get(rank)), gemms(planned.get(rank)), which);
        }
        // The ranks that ran have the copies of their fabric, too.
        var seen = new HashSet<RankClasses.Kind>();
        var classes =
                new RankClasses(configuration, strategies, strategies.compute().backend(), DryRun.Watch.NONE).ofRanks();
        for (int rank = 0; rank < planned.size(); rank++) {
            if (seen.add(classes.get(rank).kind())) {
                assertEquals(together.get(rank).workPerStep(), planned.get(rank).workPerStep(), "rank " + rank);
            }
        }
        assertTrue(
                seen.size()
                        <= configuration.mesh().pipeline()
                                * Math.min(3, configuration.mesh().context()),
                seen::toString);
    }

    /** Ranks that own other matrices have other memory. */
    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2", "fsdp"})
    void countsOwnersOfWholeMatrices(String mode) {
        Layout layout = ofContextAndData(mode);
        Strategies strategies = WholeMatrices.in(strategies(layout, BF16));
        RunConfiguration configuration = Layouts.configuration(layout);
        List<DryRun.OfRank> together = AllRanks.of(configuration, strategies);
        List<DryRun.OfRank> planned = DryRun.of(configuration, strategies).ranks();
        for (int rank = 0; rank < planned.size(); rank++) {
            assertEquals(together.get(rank).peakBytes(), planned.get(rank).peakBytes(), "rank " + rank);
            assertEquals(
                    together.get(rank).collectivesPerStep(), planned.get(rank).collectivesPerStep(), "rank " + rank);
        }
    }

    /** The dtype of gradients, and how long complete ones are allocated, change the bytes of a rank. */
    @ParameterizedTest
    @ValueSource(
            strings = {"zero1 bf16", "zero2 bf16", "zero1 late", "zero2 once a step", "fsdp in shards of 2 once a step"
            })
    void countsGradients(String mode) {
        Layout layout = ofContextAndData(mode);
        check(Layouts.configuration(layout), strategies(layout, BF16));
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2", "fsdp in shards of 2"})
    void countsWeightsWithoutMasters(String mode) {
        Layout layout = ofContextAndData(mode);
        check(Layouts.configuration(layout), strategies(layout, new Bf16Factory().create(new Bf16Options("none"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2", "fsdp"})
    void countsMomentsInEightBitsAndOfMuon(String mode) {
        Layout layout = ofContextAndData(mode);
        check(Layouts.configuration(layout), Replaced.eightBitMoments(strategies(layout, BF16)));
        check(
                Layouts.configuration(layout),
                Replaced.optimizer(strategies(layout, BF16), new MuonFactory().create(new MuonOptions())));
    }

    private static Layout ofContextAndData(String mode) {
        var ways = new Layouts.Ways("1f1b", "ring", mode, true, true);
        return new Layout(new Layouts.Extents(1, 2, 1, 2), ways, Recompute.NONE, 2, false);
    }

    private static Strategies strategies(Layout layout, PrecisionStrategy precision) {
        var meta = new MetaFactory().create(new MetaOptions("meta", ALIGNMENT_BYTES, 0, 0, null));
        return Layouts.strategies(layout, precision, meta, request -> new StructuredTokens());
    }

    private static Map<String, ?> gemms(DryRun.OfRank rank) {
        var gemms = rank.kernelsPerStep();
        gemms.keySet().removeIf(kernel -> !kernel.startsWith("gemm.") && !kernel.startsWith("attention."));
        return gemms;
    }

    /** All axes at once, every schedule. */
    static Stream<Arguments> countsAsAllRanksTogether() {
        return Stream.concat(LayoutMatrix.fast(), LayoutMatrix.hybrid())
                .flatMap(layout -> Stream.of(Arguments.of(layout, Named.of("bf16", BF16))));
    }

    /** Each layout in one of three precisions. */
    @Tag("matrix")
    @ParameterizedTest
    @MethodSource
    void countsAsAllRanksOfTheMatrixTogether(Layout layout, PrecisionStrategy precision) {
        countsAsAllRanksTogether(layout, precision);
    }

    static Stream<Arguments> countsAsAllRanksOfTheMatrixTogether() {
        List<Arguments> all = countsInEachPrecision().toList();
        // Consecutive layouts of one precision would share a choice of strategies, which repeats after 2, 3, 4 and 5
        // layouts.
        Stream<Arguments> matrix = IntStream.range(0, all.size() / PRECISIONS)
                .mapToObj(layout -> all.get(PRECISIONS * layout + layout / PRECISIONS % PRECISIONS));
        return Stream.concat(
                matrix, LayoutMatrix.moreHybrid().map(layout -> Arguments.of(layout, Named.of("bf16", BF16))));
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource
    void countsInEachPrecision(Layout layout, PrecisionStrategy precision) {
        countsAsAllRanksTogether(layout, precision);
    }

    static Stream<Arguments> countsInEachPrecision() {
        return LayoutMatrix.matrix()
                .flatMap(layout -> Stream.of(
                                Named.of("fp32", Layouts.FP32), Named.of("bf16", BF16), Named.of("fp8", FP8))
                        .map(precision -> Arguments.of(layout, precision)));
    }

    /** Of a third party: rank r scales its output r times, and nobody says that ranks do the same. */
    private record Unbalanced(ContextParallel ring) implements ContextParallel {
        @Override
        public List<Integer> pieces(int rank, int ranks) {
            return ring.pieces(rank, ranks);
        }

        @Override
        public AttentionCore attention(ProcessGroup group, Heads heads, AttentionOptions options) {
            AttentionCore balanced = ring.attention(group, heads, options);
            return new AttentionCore() {
                @Override
                public void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
                    balanced.forward(context, in, outputTHD, logSumExpBHS);
                    for (int time = 0; time < group.rank(); time++) {
                        context.device().kernels().elementwise().scale(context.queue(), outputTHD, 1);
                    }
                }

                @Override
                public void backward(
                        StepContext context,
                        Tensor outputGradientTHD,
                        QueryKeyValue in,
                        Tensor outputTHD,
                        Tensor logSumExpBHS,
                        QueryKeyValue gradient) {
                    balanced.backward(context, outputGradientTHD, in, outputTHD, logSumExpBHS, gradient);
                }
            };
        }
    }

    @Test
    void countsEachRankOfUnbalancedContextParallelism() {
        Layout layout = new Layout(
                new Layouts.Extents(1, 4, 1, 1),
                new Layouts.Ways("1f1b", "ring", "zero1", true, true),
                Recompute.NONE,
                2,
                false);
        RunConfiguration configuration = Layouts.configuration(layout);
        Strategies balanced = strategies(layout, BF16);
        Strategies.Parallel of = balanced.parallel();
        var parallel = new Strategies.Parallel(
                of.fabric(), of.schedule(), of.tensor(), new Unbalanced(of.context()), of.data());
        var strategies = new Strategies(
                balanced.compute(), parallel, balanced.model(), balanced.step(), balanced.data(), balanced.outcome());
        List<DryRun.OfRank> together = AllRanks.of(configuration, strategies);
        List<DryRun.OfRank> planned = DryRun.of(configuration, strategies).ranks();
        for (int rank = 0; rank < planned.size(); rank++) {
            assertEquals(together.get(rank).workPerStep(), planned.get(rank).workPerStep(), "rank " + rank);
        }
        assertNotEquals(planned.get(1).workPerStep(), planned.get(2).workPerStep());
    }
}
