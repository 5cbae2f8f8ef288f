package io.hirundo.trainer.internal.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.fp8pertensor.internal.Fp8DelayedFactory;
import io.hirundo.fp8pertensor.internal.Fp8DelayedOptions;
import io.hirundo.lib.engine.audit.AuditWorker;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.AuditSection;
import io.hirundo.lib.run.section.AuditSection.OnFinding;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An audit changes no loss, and finds nothing in correct arithmetic. */
public class AuditedRunTest {
    private static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());
    private static final PrecisionStrategy BLOCKWISE = new Fp8BlockwiseFactory()
            .create(new Fp8BlockwiseOptions(
                    Fp8BlockwiseOptions.POWER_OF_TWO,
                    Fp8BlockwiseOptions.E4M3,
                    Fp8BlockwiseOptions.SHARD_LOCAL,
                    0,
                    0,
                    true,
                    false));
    private static final PrecisionStrategy DELAYED = new Fp8DelayedFactory().create(new Fp8DelayedOptions());

    private static final Layout THREE_AXES =
            new Layout(new Layouts.Extents(2, 1, 2, 2), Layouts.Ways.DEFAULT, Recompute.NONE, 1, false, 2);
    private static final Layout CONTEXT =
            new Layout(new Layouts.Extents(1, 2, 1, 1), Layouts.Ways.DEFAULT, Recompute.SELECTIVE, 2, true, 2);

    /** The trace of a run, bitwise equal with and without audit. */
    private record Trace(List<Double> losses, List<Double> norms, long tiles, long chunks) {}

    static Stream<Arguments> cases() {
        return Stream.of(THREE_AXES, CONTEXT)
                .flatMap(layout -> Stream.of(
                                Named.of("fp32", Layouts.FP32),
                                Named.of("bf16", BF16),
                                Named.of("fp8-blockwise", BLOCKWISE),
                                Named.of("fp8-delayed", DELAYED))
                        .map(precision -> Arguments.of(layout, precision)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void changesNoLossAndFindsNothingWrong(Layout layout, PrecisionStrategy precision) {
        int steps = 3;
        Trace plain = train(layout, precision, 0, steps);
        Trace audited = train(layout, precision, 64, steps);
        assertEquals(plain.losses(), audited.losses());
        assertEquals(plain.norms(), audited.norms());
        assertEquals(0, plain.tiles() + plain.chunks());
        // All of them, also where several are of one call.
        assertEquals(64L * (steps - 1), audited.tiles());
        assertTrue(audited.chunks() > 0, "no collective was compared");
    }

    /** {@code -Dhirundo.audits=10000}: audits this many tiles over all cases and expects no finding. */
    @ParameterizedTest
    @MethodSource("cases")
    @EnabledIfSystemProperty(named = "hirundo.audits", matches = "[1-9][0-9]*")
    void findsNothingWrongInTheRequestedNumberOfTiles(Layout layout, PrecisionStrategy precision) {
        long tiles = Long.getLong("hirundo.audits") / cases().count();
        long compared = 0;
        long chunks = 0;
        while (compared < tiles) {
            Trace trace = train(layout, precision, 256, Layouts.STEPS);
            compared += trace.tiles();
            chunks += trace.chunks();
        }
        System.out.println("RESULT: " + compared + " tiles and " + chunks + " chunks of collectives, no finding");
    }

    private static Trace train(Layout layout, PrecisionStrategy precision, double rate, int steps) {
        RunConfiguration configuration =
                audited(Layouts.configuration(layout), new AuditSection(rate, OnFinding.LOG, 0));
        try (var run = LocalRun.open(
                configuration,
                Layouts.strategies(layout, precision, Layouts.cpu(), request -> new StructuredTokens()))) {
            var losses = new ArrayList<Double>();
            var norms = new ArrayList<Double>();
            for (int step = 0; step < steps; step++) {
                var metrics = run.step();
                losses.add(metrics.loss());
                norms.add(metrics.gradientNorm());
            }
            assertEquals(List.of(), run.audits().findings());
            long tiles = run.audits().worker().map(AuditWorker::comparedTiles).orElse(0L);
            return new Trace(
                    losses,
                    norms,
                    tiles,
                    run.audits().worker().map(AuditWorker::comparedChunks).orElse(0L));
        }
    }

    public static RunConfiguration audited(RunConfiguration plain, AuditSection audit) {
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
                plain.evaluation(),
                plain.samples(),
                plain.fingerprints(),
                plain.checkpoint(),
                plain.swap(),
                audit,
                plain.monitors());
    }
}
