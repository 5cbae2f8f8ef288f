package io.hirundo.trainer.internal.audit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.AuditSection;
import io.hirundo.lib.run.section.AuditSection.OnFinding;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.planner.internal.plan.AuditForecast;
import io.hirundo.planner.internal.plan.AuditTable;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The overhead of one audit per step: for the smallest example, and for Llama 3 8B with two microbatches instead of the example's sixteen.
 */
class AuditedExamplesTest {
    private static final double MOST = 0.003;

    /** A model of 0.1 million parameters; a step moves 26 MB. */
    @Test
    void costsAFractionOfAPercentInTheSyntheticExample() {
        var sizes = new LlamaOptions(256, 64, 160, 2, 4, 2, 0, 64, 1e-5, 10000, null, false, 0.02, false, false, 0);
        requireSmall(
                sizes,
                new Layout(new Extents(1, 1, 1, 1), Ways.DEFAULT, Recompute.NONE, 4, false, 2),
                new TrainingSection(100, 64, 4, 8, 1.0, Recompute.NONE),
                Layouts.FP32);
    }

    @Test
    void costsAFractionOfAPercentInLlama8B() {
        var sizes = new LlamaOptions(
                128_256, 4096, 14_336, 32, 32, 8, 0, 8192, 1e-5, 500_000, null, false, 0.02, false, false, 0);
        requireSmall(
                sizes,
                new Layout(
                        new Extents(1, 1, 1, 2),
                        new Ways("1f1b", "ring", "fsdp", true, true),
                        Recompute.SELECTIVE,
                        1,
                        false,
                        32),
                new TrainingSection(100, 8192, 1, 4, 1.0, Recompute.SELECTIVE),
                new Bf16Factory().create(new Bf16Options()));
    }

    private static void requireSmall(
            LlamaOptions sizes, Layout layout, TrainingSection training, PrecisionStrategy precision) {
        RunConfiguration small = Layouts.configuration(layout);
        var configuration = new RunConfiguration(
                1,
                7,
                small.run(),
                small.model(),
                small.device(),
                small.precision(),
                small.mesh(),
                training,
                small.optimizer(),
                small.learningRate(),
                small.data(),
                small.evaluation(),
                small.samples(),
                small.fingerprints(),
                small.checkpoint(),
                small.swap(),
                new AuditSection(1, OnFinding.LOG, 0),
                small.monitors());
        Strategies chosen = Layouts.strategies(
                layout, precision, new MetaFactory().create(new MetaOptions()), request -> new StructuredTokens());
        var strategies = new Strategies(
                chosen.compute(),
                chosen.parallel(),
                new Strategies.Model(new LlamaFactory().create(sizes), null, Optional.empty()),
                chosen.step(),
                chosen.data(),
                chosen.outcome());
        var forecast = AuditForecast.of(DryRun.of(configuration, strategies));
        assertTrue(forecast.ofOneAudit().flops() > 0 && forecast.ofOneAudit().bytes() > 0, "nothing was counted");
        assertTrue(
                forecast.ofOneAudit().largest() <= MOST,
                () -> AuditTable.of("too much", 1, forecast) + forecast.ofOneAudit());
        String table = AuditTable.of("one audit a step", 1, forecast);
        assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
        if (Boolean.getBoolean("hirundo.audits.print")) {
            System.out.print(table);
        }
    }
}
