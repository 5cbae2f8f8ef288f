package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DataSource;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.inference.decode.CachedLogits;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.AuditSection;
import io.hirundo.lib.run.section.AuditSection.OnFinding;
import io.hirundo.lib.run.section.EvaluationSection;
import io.hirundo.lib.run.section.SamplesSection;
import io.hirundo.model.layer.Recompute;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.audit.AuditedRunTest;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The planned memory equals that of a CPU run, by category and to the byte. */
class PlanParityTest {
    static final PrecisionStrategy FP32 = new Fp32Factory().create(new NoOptions());
    static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());
    static final PrecisionStrategy FP8 = new Fp8BlockwiseFactory()
            .create(new Fp8BlockwiseOptions(
                    Fp8BlockwiseOptions.POWER_OF_TWO,
                    Fp8BlockwiseOptions.E4M3,
                    Fp8BlockwiseOptions.SHARD_LOCAL,
                    0,
                    0,
                    true,
                    false));

    @ParameterizedTest
    @EnumSource
    void peakBytesByCategory(PlanCase wanted) {
        ComputeBackend cpu = new CpuBackendFactory().create(new CpuOptions(2, CpuOptions.VECTOR));
        DryRun.Counted planned = DryRun.of(wanted.configuration(), wanted.strategies(PlannedBytes.meta(cpu)));
        try (LocalRun run = LocalRun.open(wanted.configuration(), wanted.strategies(cpu))) {
            for (int step = 0; step < 3; step++) {
                run.step();
            }
            run.validation().all(() -> false);
            assertEquals(
                    run.ranks().ledger(0).peakBytes(),
                    planned.ranks().getFirst().peakBytes());
            assertEquals(
                    run.ranks().ledger(0).peakTotalBytes(),
                    planned.ranks().getFirst().peakTotalBytes());
            assertEquals(
                    run.ranks().ledger(0).bytesAtPeak(),
                    planned.ranks().getFirst().bytesAtPeak());
        }
    }

    @Test
    void peakBytesWithSamples() {
        PlanCase wanted = PlanCase.DEEP;
        var configuration = wanted.configuration(new SamplesSection(1, List.of("a"), 8, 0));
        DryRun.Counted planned =
                DryRun.of(configuration, wanted.strategies(new MetaFactory().create(new MetaOptions())));
        assertTrue(
                planned.ranks().getFirst().peakTotalBytes()
                        > DryRun.of(
                                        wanted.configuration(),
                                        wanted.strategies(new MetaFactory().create(new MetaOptions())))
                                .ranks()
                                .getFirst()
                                .peakTotalBytes(),
                "samples are not the largest: this test proves nothing");
        ComputeBackend cpu = new CpuBackendFactory().create(new CpuOptions(2, CpuOptions.VECTOR));
        planned = DryRun.of(configuration, wanted.strategies(PlannedBytes.meta(cpu)));
        try (LocalRun run = LocalRun.open(configuration, wanted.strategies(cpu))) {
            run.step();
            run.step();
            run.onEachRank(part -> {
                try (var logits = new CachedLogits(part.model(), 512)) {
                    return logits.afterLast(new int[512]);
                }
            });
            run.validation().all(() -> false);
            assertEquals(
                    run.ranks().ledger(0).peakBytes(),
                    planned.ranks().getFirst().peakBytes());
            assertEquals(
                    run.ranks().ledger(0).peakTotalBytes(),
                    planned.ranks().getFirst().peakTotalBytes());
        }
    }

    /** Every rank of a distributed run. */
    @ParameterizedTest
    @MethodSource
    void peakBytesOfEveryRank(Layout layout, PrecisionStrategy precision) {
        assertPlanned(layout, precision, request -> new StructuredTokens());
    }

    /** Document bounds need memory, and counting labels needs a collective. */
    @Test
    void peakBytesWithDocuments() {
        assertPlanned(LayoutMatrix.fast().toList().get(10), FP32, StructuredDocuments.WITH_ALL_RULES);
    }

    /** No later audit needs more memory than the survey step. */
    @Test
    void peakBytesWithAudits() {
        Layout split = new Layout(new Layouts.Extents(2, 1, 2, 2), Layouts.Ways.DEFAULT, Recompute.NONE, 2, false, 4);
        for (PrecisionStrategy precision : List.of(FP32, FP8)) {
            RunConfiguration plain = Layouts.configuration(split);
            RunConfiguration audited = AuditedRunTest.audited(plain, new AuditSection(3, OnFinding.LOG, 0));
            assertPlanned(audited, split, precision, request -> new StructuredTokens(), Set.of());
            assertTrue(
                    peakTotalBytes(audited, split) > peakTotalBytes(plain, split),
                    "the audit takes no memory: this proves nothing");
        }
    }

    /** Collectives that end after the step (weight gathers) count for the step that started them. */
    @Test
    void isReproducible() {
        Layout split = LayoutMatrix.fast().toList().get(1);
        ComputeBackend meta = new MetaFactory().create(new MetaOptions());
        var data = StructuredDocuments.WITH_ALL_RULES;
        var first = DryRun.of(Layouts.configuration(split), Layouts.strategies(split, FP32, meta, data));
        for (int time = 0; time < 10; time++) {
            assertEquals(first, DryRun.of(Layouts.configuration(split), Layouts.strategies(split, FP32, meta, data)));
        }
    }

    private static final Layout SHARDED = new Layout(
            new Layouts.Extents(1, 1, 1, 2),
            new Layouts.Ways("1f1b", "ring", "fsdp", true, true),
            Recompute.NONE,
            2,
            false);

    /** The second step measures quantization error, for which weights and activations are sent unquantized. */
    @ParameterizedTest
    @MethodSource
    void peakBytesOfQuantizationErrorSteps(Layout layout) {
        assertPlanned(
                watched(layout),
                layout,
                FP8,
                request -> new StructuredTokens(),
                // Control messages after the run depend on the length of the numbers in them.
                Set.of(MemoryCategory.COMMUNICATION));
    }

    static Stream<Layout> peakBytesOfQuantizationErrorSteps() {
        return Stream.of(
                SHARDED,
                new Layout(new Layouts.Extents(1, 1, 1, 2), Layouts.Ways.DEFAULT, Recompute.FULL, 2, false),
                new Layout(new Layouts.Extents(2, 1, 1, 1), Layouts.Ways.DEFAULT, Recompute.NONE, 2, false));
    }

    @Test
    void quantizationErrorStepMayBeTheLargest() {
        assertTrue(peakTotalBytes(watched(SHARDED), SHARDED) > peakTotalBytes(Layouts.configuration(SHARDED), SHARDED));
    }

    private static RunConfiguration watched(Layout layout) {
        RunConfiguration plain = Layouts.configuration(layout);
        return new RunConfiguration(
                plain.schemaVersion(),
                plain.seed(),
                plain.run(),
                plain.model(),
                plain.device(),
                plain.precision(),
                plain.mesh(),
                plain.training(),
                plain.optimizer(),
                plain.learningRate(),
                plain.data(),
                new EvaluationSection(0, 5, Map.of(), 2, 0),
                plain.samples(),
                plain.fingerprints(),
                plain.checkpoint(),
                plain.swap(),
                plain.audit(),
                plain.monitors());
    }

    private static long peakTotalBytes(RunConfiguration configuration, Layout layout) {
        ComputeBackend meta = new MetaFactory().create(new MetaOptions());
        return DryRun.of(configuration, Layouts.strategies(layout, FP8, meta, request -> new StructuredTokens()))
                .ranks()
                .getFirst()
                .peakTotalBytes();
    }

    private static void assertPlanned(Layout layout, PrecisionStrategy precision, DataSource data) {
        assertPlanned(Layouts.configuration(layout), layout, precision, data, Set.of());
    }

    private static void assertPlanned(
            RunConfiguration configuration,
            Layout layout,
            PrecisionStrategy precision,
            DataSource data,
            Set<MemoryCategory> apart) {
        assertPlanned(configuration, backend -> Layouts.strategies(layout, precision, backend, data), apart);
    }

    /** On a CPU. {@code apart}: categories that are not compared. */
    static void assertPlanned(
            RunConfiguration configuration,
            Function<ComputeBackend, Strategies> strategies,
            Set<MemoryCategory> apart) {
        try (LocalRun run = LocalRun.open(configuration, strategies.apply(Layouts.cpu()))) {
            for (int step = 0; step < 3; step++) {
                run.step();
            }
            PlannedBytes.check(configuration, strategies, PlannedBytes.of(run), apart);
        }
    }

    /** {@link LayoutParityTest} checks the memory of its FP32 runs. */
    static Stream<Arguments> peakBytesOfEveryRank() {
        return LayoutMatrix.ofMemory().flatMap(PlanParityTest::inLessThanFp32);
    }

    static Stream<Arguments> inLessThanFp32(Layout layout) {
        return Stream.of(Named.of("bf16", BF16), Named.of("fp8", FP8))
                .map(precision -> Arguments.of(layout, precision));
    }
}
