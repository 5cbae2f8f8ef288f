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
import io.hirundo.lib.engine.step.AuditInstrument;
import io.hirundo.lib.engine.step.RankFingerprints;
import io.hirundo.lib.engine.step.RankUpdate;
import io.hirundo.lib.engine.step.RoundingInstrument;
import io.hirundo.lib.engine.step.StepInstrument;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** One rank's part of a run: its model, its sample shard and its progress. Confined to the rank's thread. */
public final class RankRun implements AutoCloseable {
    private final RankModel model;
    private final RankUpdate update;
    private final RankData reading;
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
            this.reading = opened.add(new RankData(model), RankData::close);
            read(samples, validations, 0);
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    private void configure(RunConfiguration next, Strategies strategies) {
        configuration = next;
        rates = RunRates.of(strategies.step().learningRate(), next.training(), schedule);
        steps = new StepRunner(model, update, next.training().step());
    }

    /** Builds the next strategies without changing the run; throws if they cannot be built. */
    PreparedRank prepare(Optimizer current, RunConfiguration next, Strategies strategies, StrategyDifference changes) {
        RunRates.of(strategies.step().learningRate(), next.training(), schedule).require(stepsDone + 1);
        return new RankPreparation(model, update.optimizer(), current, next, strategies, changes).build();
    }

    /** The parity check of the prepared strategies on the next microbatch. */
    ParityGate.Verdict checkParity(
            PreparedRank prepared,
            StrategyDifference changes,
            RunConfiguration next,
            Strategies strategies,
            ParityGate gate) {
        var parityCheck = new RankParityCheck(model, steps, reading.peek(), stepsDone, changes, gate);
        return parityCheck.of(prepared.blocks().orElseThrow(), strategies, next.stages());
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

    /**
     * Runs the next step.
     *
     * @param signals called near its end
     * @param instruments others than those of this rank
     */
    StepRunner.Outcome step(Supplier<StepSignals> signals, List<? extends StepInstrument> instruments) {
        HostBatch batch = reading.next();
        long step = stepsDone + 1;
        var all = new ArrayList<StepInstrument>(instruments);
        Optional<RoundingInstrument> measured =
                due(configuration.evaluation().roundingEverySteps(), step, () -> new RoundingInstrument(model));
        measured.ifPresent(all::add);
        if (audit != null && measured.isEmpty()) {
            AuditInstrument.next(audit, model, step).ifPresent(all::add);
        }
        Optional<RankFingerprints> taken = configuration.fingerprints().steps().contains(step)
                        && model.device().computes()
                ? Optional.of(new RankFingerprints(model))
                : Optional.empty();
        taken.ifPresent(all::add);
        StepRunner.Outcome outcome = steps.step(batch, step, rateOf(step), signals, all);
        rounding = measured.map(of -> RankQuantizationError.ofAll(model.rank(), of.rounding()))
                .orElse(List.of());
        fingerprints = taken.map(of -> of.ofAll(step));
        stepsDone = step;
        return outcome;
    }

    private <I> Optional<I> due(long everySteps, long step, Supplier<I> instrument) {
        return Intervals.isDue(step, everySteps) && model.device().computes()
                ? Optional.of(instrument.get())
                : Optional.empty();
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
                : audit.findings(model.blocksIfPresent().map(RankBlocks::precision));
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
