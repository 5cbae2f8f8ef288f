package io.hirundo.trainer.internal.session;

import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.SampleSet;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.lib.engine.audit.AuditWorker;
import io.hirundo.lib.engine.audit.RankAudit;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankBlocks;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.rank.RankQuantizationError;
import io.hirundo.lib.engine.step.RankFingerprints;
import io.hirundo.lib.engine.step.RankUpdate;
import io.hirundo.lib.engine.step.StepObserver;
import io.hirundo.lib.engine.step.StepRunner;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.inference.evaluation.Evaluator;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.lib.run.config.Intervals;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.rate.RunRates;
import io.hirundo.lib.run.rate.ScheduleSpan;
import io.hirundo.lib.run.strategy.StrategyDifference;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.trainer.internal.gate.ParityGate;
import io.hirundo.trainer.internal.gate.RankParityCheck;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** One rank's part of a run: its model, its sample shard and its progress. Confined to the rank's thread. */
public final class RankRun implements AutoCloseable {
    private final RankModel model;
    private final RankUpdate update;
    private final RankSamples reading;
    private final Opened opened = new Opened();
    private RunConfiguration configuration;
    private ScheduleSpan schedule;
    private RunRates rates;
    private StepRunner steps;
    /** Null if auditing is off. */
    private final RankAudit audit;

    private long stepsDone;
    private List<LayerRounding> rounding = List.of();
    private Optional<FingerprintsTaken> fingerprints = Optional.empty();

    /**
     * Opens the rank's part; initializes weights or loads them from {@code model.from}. On failure everything is closed.
     *
     * @param samples training samples
     * @param validations data sets with a validation part, by name
     * @param audits compares audited results; null if auditing is off
     */
    RankRun(
            Rank rank,
            RunConfiguration configuration,
            Strategies strategies,
            SampleSet samples,
            Map<String, SampleSet> validations,
            AuditWorker audits) {
        try {
            this.model = opened.add(
                    RankModel.open(
                            rank,
                            strategies.compute(),
                            strategies.parallel(),
                            strategies.model().architecture(),
                            configuration.stages(),
                            strategies.step().optimizer()::ownership),
                    RankModel::close);
            this.update = opened.add(new RankUpdate(model, strategies.step().optimizer()), RankUpdate::close);
            this.audit = audits == null
                    ? null
                    : opened.add(rank.audit(configuration.auditChooser(), audits), RankAudit::close);
            this.schedule = ScheduleSpan.of(configuration.training());
            // After all other state was allocated.
            model.sharded().rehearseGradients(configuration.stages().microbatches());
            configure(configuration, strategies);
            loadWeights(strategies);
            // Last: the prefetch thread must end before its samples close.
            this.reading = opened.add(new RankSamples(model), RankSamples::close);
            read(samples, validations, 0);
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    private void configure(RunConfiguration next, Strategies strategies) {
        configuration = next;
        rates = RunRates.of(strategies.step().learningRate(), next.training(), schedule);
        steps = new StepRunner(model, update, next.training().step(), audit);
    }

    /** Builds the next strategies without changing the run; throws if they cannot be built. */
    PreparedRank prepare(Optimizer current, RunConfiguration next, Strategies strategies, StrategyDifference changes) {
        RunRates.of(strategies.step().learningRate(), next.training(), schedule).require(stepsDone + 1);
        return PreparedRank.of(model, update.optimizer(), current, next, strategies, changes);
    }

    /** The parity check of the prepared strategies on the next microbatch. */
    ParityGate.Verdict checkParity(
            PreparedRank prepared,
            StrategyDifference changes,
            RunConfiguration next,
            Strategies strategies,
            ParityGate gate) {
        var trial = new RankParityCheck(model, steps, reading.peek(), stepsDone, changes, gate);
        return trial.of(prepared.blocks(), strategies, next.stages());
    }

    /** Switches to the prepared strategies. Returns what becomes of the optimizer's state, where another optimizer takes over. */
    Optional<String> take(PreparedRank prepared, RunConfiguration next, Strategies strategies) {
        Optional<String> optimizerState = prepared.take(model, update.optimizer(), stepsDone);
        configure(next, strategies);
        return optimizerState;
    }

    /** Closes what these strategies built: layers and the optimizer's run. */
    void release(StrategyDifference lost) {
        if (lost.blocks()) {
            model.releaseBlocks(lost.affects(RunPart.PRECISION));
        }
        if (lost.affects(RunPart.OPTIMIZER)) {
            update.optimizer().release();
        }
    }

    /** Stops reading, before the samples are closed. */
    void stopReading() {
        reading.stop();
    }

    /** Continues with other samples after this many steps. */
    void read(SampleSet otherSamples, Map<String, SampleSet> validations, long stepsDone) {
        this.stepsDone = stepsDone;
        reading.read(configuration, otherSamples, validations, stepsDone);
    }

    /** Sets the number of steps done; the caller restores weights and optimizer state. */
    void seek(long stepsDone) {
        this.stepsDone = stepsDone;
        reading.seek(configuration, stepsDone);
    }

    /** Runs the next step; {@code signals} is called near its end. */
    StepRunner.Outcome step(Supplier<StepSignals> signals) {
        HostBatch batch = reading.next();
        long step = stepsDone + 1;
        StepRunner.Outcome outcome;
        boolean isFingerprinted = configuration.fingerprints().steps().contains(step)
                && model.device().computes();
        var taken = isFingerprinted ? new RankFingerprints(model) : null;
        StepObserver observer = isFingerprinted ? taken : StepObserver.NONE;
        rounding = List.of();
        if (isMeasured(step)) {
            var measured = steps.measuredStep(batch, step, rateOf(step), signals, observer);
            outcome = measured.outcome();
            rounding = RankQuantizationError.ofAll(model.rank(), measured.rounding());
        } else if (isFingerprinted) {
            outcome = steps.observedStep(batch, step, rateOf(step), signals, observer);
        } else {
            outcome = steps.step(batch, step, rateOf(step), signals);
        }
        fingerprints = isFingerprinted ? Optional.of(taken.ofAll(step)) : Optional.empty();
        stepsDone = step;
        return outcome;
    }

    private boolean isMeasured(long step) {
        return Intervals.isDue(step, configuration.evaluation().roundingEverySteps())
                && model.device().computes();
    }

    /** Quantization errors of the last step, in all layers of the model; empty where it was not measured. */
    List<LayerRounding> rounding() {
        return rounding;
    }

    /** Fingerprints of all tensors after the last step; empty where none were taken. */
    Optional<FingerprintsTaken> fingerprints() {
        return fingerprints;
    }

    /** Submits all audited results for comparison. */
    void finishAudit() {
        if (audit != null) {
            audit.finish();
        }
    }

    /** New audit findings of this rank. */
    List<AuditFound> auditFindings() {
        return audit == null
                ? List.of()
                : audit.findings(Optional.ofNullable(model.blocks()).map(RankBlocks::precision));
    }

    double rateOf(long step) {
        return rates.at(step);
    }

    RunRates rates() {
        return rates;
    }

    /** Moves the learning-rate schedule to these steps. */
    void schedule(ScheduleSpan span) {
        schedule = span;
        rates = rates.over(span);
    }

    Optional<Evaluator.Result> evaluate(String name, BooleanSupplier stop) {
        return reading.evaluator(name).evaluate(stop);
    }

    public RankModel model() {
        return model;
    }

    RankUpdate update() {
        return update;
    }

    /** What checkpoints save and load. */
    public RankState state() {
        return new RankState(model, update.optimizer());
    }

    private void loadWeights(Strategies strategies) {
        var weights = new ModelWeights(model);
        String from = configuration.model().from();
        if (from == null) {
            weights.initialize(configuration.seed());
        } else {
            try (ModelReader reader = strategies.model().format().orElseThrow().open(Path.of(from))) {
                weights.load(reader, "model.from: " + from);
            }
        }
    }

    @Override
    public void close() {
        opened.close();
    }
}
