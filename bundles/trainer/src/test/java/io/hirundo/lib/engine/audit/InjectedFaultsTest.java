package io.hirundo.lib.engine.audit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.dataloader.internal.synthetic.SyntheticOptions;
import io.hirundo.device.ComputeBackend;
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
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.audit.AuditedRunTest;
import io.hirundo.trainer.internal.fixture.BrokenTiles;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Trains with a fault of a given extent at a random place, and counts the runs whose audit detects it. The count agrees with the probability
 * that {@code hirundo audit} prints. The profile {@code faults} trains 100 runs for each fault; {@code -Dhirundo.injections=2000} is possible.
 */
class InjectedFaultsTest {
    private static final int RUNS = Integer.getInteger("hirundo.injections", 30);

    /** Each tail of the confidence interval: 99.9 % of the counts of a right prediction pass. */
    private static final double TAIL = 0.0005;

    /**
     * A prediction must fail if its audits are multiplied or divided by this factor. From counts near one half, 30 runs exclude a factor of 4
     * with this confidence, and 100 runs a factor of 2.
     */
    private static final double FACTOR = RUNS < 100 ? 4 : 2;

    private static final int TOKENS = 32;
    private static final int VOCABULARY = 32;
    private static final LlamaOptions SIZES =
            new LlamaOptions(VOCABULARY, 16, 32, 1, 2, 2, 0, TOKENS, 1e-5, 10000, null, false, 0.02, false, false, 0);

    /** {@code extent}: index into {@link AuditForecast#faults}; {@code steps}: number of audited steps; {@code rate}: audits of each. */
    @ParameterizedTest
    @CsvSource({"1, 1, 36, 1", "1, 1, 2, 18", "2, 1, 16, 1", "3, 1, 5, 1", "4, 2, 10, 1"})
    void detectsInjectedFaultsAsOftenAsPredicted(int extent, int stages, int steps, int rate) {
        var layout = new Layout(new Extents(1, 1, stages, 1), Ways.DEFAULT, Recompute.NONE, 1, false, stages);
        AuditForecast forecast = AuditForecast.of(
                DryRun.of(configuration(layout, 0, steps, rate), strategies(layout, Layouts.FP32, meta())));
        AuditForecast.Fault fault = forecast.faults().get(extent);
        int detected = 0;
        for (int seed = 1; seed <= RUNS; seed++) {
            if (isDetected(
                    configuration(layout, seed, steps, rate), layout, injected(extent, forecast, new Random(seed)))) {
                detected++;
            }
        }

        int count = detected;
        double predicted = fault.within(steps * rate);
        assertTrue(
                explains(predicted, count),
                () -> fault.extent() + ": predicted " + predicted + ", detected in " + count + " of " + RUNS);
        // Without these, a count of half of the runs would pass for many wrong predictions.
        assertFalse(
                explains(fault.within(FACTOR * steps * rate), count),
                () -> FACTOR + " times as many audits would explain " + count);
        assertFalse(
                explains(fault.within(steps * rate / FACTOR), count),
                () -> FACTOR + " times fewer audits would explain " + count);
    }

    /** Whether the confidence interval of the count contains the probability (Clopper and Pearson 1934). */
    private static boolean explains(double probability, int count) {
        double below = 0;
        double above = 0;
        double log = RUNS * Math.log1p(-probability);
        for (int k = 0; k <= RUNS; k++) {
            double exactly = Math.exp(log);
            below += k <= count ? exactly : 0;
            above += k >= count ? exactly : 0;
            log += Math.log((RUNS - k) / (k + 1.0)) + Math.log(probability) - Math.log1p(-probability);
        }
        return below > TAIL && above > TAIL;
    }

    /** A fault at a random place; each GEMM, or each layer, is equally likely, as {@link AuditForecast} assumes. */
    private static BrokenTiles.Fault injected(int extent, AuditForecast forecast, Random random) {
        List<List<GemmPlan>> layers = forecast.ranks().stream()
                .flatMap(rank -> rank.layers().stream())
                .toList();
        List<GemmPlan> layer = layers.get(random.nextInt(layers.size()));
        GemmPlan plan = layer.get(random.nextInt(layer.size()));
        long row = random.nextLong(GemmPlan.tiles(plan.rows(), plan.tile()));
        long column = random.nextLong(GemmPlan.tiles(plan.columns(), plan.tile()));
        return (name, product, tileRow, tileColumn) -> name.equals(plan.layer())
                && (extent >= 3 || product == plan.product())
                && (extent >= 2 || (tileRow == row && tileColumn == column));
    }

    private static boolean isDetected(RunConfiguration configuration, Layout layout, BrokenTiles.Fault fault) {
        try (var run = LocalRun.open(
                configuration, strategies(layout, new BrokenTiles(fault).create(new NoOptions()), Layouts.cpu()))) {
            for (int step = 0;
                    step < configuration.training().steps() && !run.audits().needAttention();
                    step++) {
                run.step();
            }
            return !run.audits().findings().isEmpty();
        }
    }

    /** The first step only lists the GEMMs; {@code steps} more are audited. */
    private static RunConfiguration configuration(Layout layout, long seed, int steps, double rate) {
        RunConfiguration plain =
                AuditedRunTest.audited(Layouts.configuration(layout), new AuditSection(rate, OnFinding.LOG, 0));
        return new RunConfiguration(
                plain.schemaVersion(),
                seed,
                plain.run(),
                plain.model(),
                plain.device(),
                plain.precision(),
                plain.mesh(),
                new TrainingSection(steps + 1, TOKENS, 1, layout.extents().pipeline(), 1.0, Recompute.NONE),
                plain.optimizer(),
                plain.learningRate(),
                plain.data(),
                plain.evaluation(),
                plain.samples(),
                plain.fingerprints(),
                plain.checkpoint(),
                plain.swap(),
                plain.audit(),
                plain.monitors());
    }

    private static ComputeBackend meta() {
        return new MetaFactory().create(new MetaOptions());
    }

    private static Strategies strategies(Layout layout, PrecisionStrategy precision, ComputeBackend backend) {
        Strategies chosen = Layouts.strategies(
                layout, precision, backend, new SyntheticFactory().create(new SyntheticOptions(VOCABULARY, 1)));
        var sizes = new LlamaOptions(
                SIZES.vocabSize(),
                SIZES.hiddenSize(),
                SIZES.intermediateSize(),
                layout.layers(),
                SIZES.numAttentionHeads(),
                SIZES.numKeyValueHeads(),
                0,
                TOKENS,
                1e-5,
                10000,
                null,
                false,
                0.02,
                false,
                false,
                0);
        return new Strategies(
                chosen.compute(),
                chosen.parallel(),
                new Strategies.Model(new LlamaFactory().create(sizes), null, Optional.empty()),
                chosen.step(),
                chosen.data(),
                chosen.outcome());
    }
}
