package io.hirundo.planner.internal.plan;

import io.hirundo.data.SampleSet;
import io.hirundo.device.ComputeBackend;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.accounting.CountedFabric;
import io.hirundo.lib.engine.audit.AuditWorker;
import io.hirundo.lib.engine.audit.RankAudit;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.fabric.FakeFabric;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.rank.SampleShard;
import io.hirundo.lib.engine.rank.StringAllGather;
import io.hirundo.lib.engine.step.AuditInstrument;
import io.hirundo.lib.engine.step.RankFingerprints;
import io.hirundo.lib.engine.step.RankUpdate;
import io.hirundo.lib.engine.step.RoundingInstrument;
import io.hirundo.lib.engine.step.StepRunner;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.inference.decode.CachedLogits;
import io.hirundo.lib.inference.evaluation.Evaluator;
import io.hirundo.lib.run.config.RunConfiguration;
import java.util.Collections;
import java.util.List;

/** The part of a {@link DryRun} that one rank runs, on a fabric on which the other ranks are not there. */
final class RankDryRun {
    /** Memory reaches its steady state in the second step, and again in the step after {@link #MEASURED_STEP}. */
    private static final int STEPS = 2;

    private static final int MEASURED_STEP = STEPS + 1;
    private static final int FINGERPRINTED_STEP = MEASURED_STEP + 2;

    /** {@code sendsFp8}: whether any collective carried FP8 values. */
    record Result(DryRun.OfRank counts, boolean sendsFp8) {}

    private final RunConfiguration configuration;
    private final Strategies strategies;
    private final ComputeBackend backend;
    private final DryRun.Watch watch;

    RankDryRun(RunConfiguration configuration, Strategies strategies, ComputeBackend backend, DryRun.Watch watch) {
        this.configuration = configuration;
        this.strategies = strategies;
        this.backend = backend;
        this.watch = watch;
    }

    /** The number of steps of a rank; the validation counts as a step. */
    static int steps(RunConfiguration configuration) {
        return STEPS + (isMeasured(configuration) ? 2 : 0) + (isFingerprinted(configuration) ? 1 : 0) + 1;
    }

    static RankModel open(Rank rank, RunConfiguration configuration, Strategies strategies) {
        return RankModel.open(
                rank,
                strategies.compute(),
                strategies.parallel(),
                strategies.model().architecture(),
                configuration.stages(),
                strategies.step().optimizer()::ownership);
    }

    /** Opens a device and the rank's model, runs the steps and closes both. */
    Result of(int number) {
        watch.check();
        var ledger = new AccountedLedger(Long.MAX_VALUE);
        try (Rank rank = Rank.open(backend, 0, ledger)) {
            var fabric = new CountedFabric(rank.audited(new FakeFabric()), ledger, begun -> watch.check());
            rank.join(fabric, number, configuration.mesh().mesh());
            // All collectives have completed.
            return new Result(counts(rank, ledger, () -> {}), fabric.hasSentFp8());
        }
    }

    /** {@code awaitCollectives}: waits for the collectives of a step, whose copies and reductions count for it. */
    DryRun.OfRank counts(Rank rank, AccountedLedger ledger, Runnable awaitCollectives) {
        var training = configuration.training();
        try (RankModel model = open(rank, configuration, strategies);
                var update = new RankUpdate(model, strategies.step().optimizer());
                var opened = new Opened()) {
            new ModelWeights(model).initialize(configuration.seed());
            RankAudit audit = configuration.audit().isOn()
                    ? opened.add(
                            rank.audit(configuration.auditChooser(), opened.add(new AuditWorker(), AuditWorker::close)),
                            RankAudit::close)
                    : null;
            SampleSet zeros = new Zeros(strategies.data().source().documents());
            HostBatch batch = batch(rank);
            // With an audit the first step surveys GEMMs and collectives. Later audits need no more memory, and only a
            // few ranks have their work.
            var steps = new StepRunner(model, update, training.step());
            steps.step(
                    batch,
                    1,
                    0,
                    StepSignals.SILENT,
                    audit == null
                            ? List.of()
                            : AuditInstrument.next(audit, model, 1).stream().toList());
            awaitCollectives.run();
            watch.stepDone();
            for (int step = 2; step <= STEPS; step++) {
                ledger.clearWork();
                steps.step(batch, step, 0, StepSignals.SILENT);
                awaitCollectives.run();
                watch.stepDone();
            }
            var workPerStep = ledger.work();
            if (isMeasured(configuration)) {
                steps.step(batch, MEASURED_STEP, 0, StepSignals.SILENT, List.of(new RoundingInstrument(model)));
                watch.stepDone();
                steps.step(batch, MEASURED_STEP + 1, 0, StepSignals.SILENT);
                watch.stepDone();
            }
            if (isFingerprinted(configuration)) {
                var fingerprints = new RankFingerprints(model);
                steps.step(batch, FINGERPRINTED_STEP, 0, StepSignals.SILENT, List.of(fingerprints));
                fingerprints.ofAll(FINGERPRINTED_STEP);
                watch.stepDone();
            }
            new Evaluator(
                            model,
                            zeros,
                            training.sequenceTokens(),
                            configuration.evaluation().samples(),
                            training.microBatch())
                    .evaluate();
            if (configuration.samples().areOn()) {
                try (var logits = new CachedLogits(model, training.sequenceTokens())) {
                    logits.afterLast(new int[logits.maximumTokens()]);
                }
            }
            // As ranks do between steps that agree on a change, or save.
            StringAllGather.exchange(rank, "");
            watch.stepDone();
            return new DryRun.OfRank(
                    ledger.peakBytes(),
                    ledger.peakTotalBytes(),
                    ledger.bytesAtPeak(),
                    workPerStep,
                    model.describeGemms(),
                    audit == null ? List.of() : audit.gemms(),
                    audit == null ? 0 : audit.exchangedBytes());
        }
    }

    /** All samples share one row, because the separate rows of a large mesh would not fit into host memory. */
    private HostBatch batch(Rank rank) {
        var training = configuration.training();
        long share = SampleShard.of(rank, training.microBatch())
                .of(0, training.globalBatch())
                .count();
        return new HostBatch(
                Collections.nCopies(Math.toIntExact(share), new int[training.sequenceTokens() + 1]),
                strategies.data().source().documents());
    }

    /** Whether a step of the run measures quantization error. */
    private static boolean isMeasured(RunConfiguration configuration) {
        long every = configuration.evaluation().roundingEverySteps();
        return every > 0 && every <= configuration.training().steps();
    }

    /** Whether a step of the run records fingerprints. */
    private static boolean isFingerprinted(RunConfiguration configuration) {
        return configuration.fingerprints().areOn();
    }
}
