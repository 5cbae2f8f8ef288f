package io.hirundo.trainer.internal.session;

import io.hirundo.CommunicationException;
import io.hirundo.data.DataCursor;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.lib.engine.audit.AuditWorker;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.LocalRanks;
import io.hirundo.lib.engine.rank.StringAllGather;
import io.hirundo.lib.engine.step.StepReport;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.fit.LayoutCheck;
import io.hirundo.lib.run.rate.RunRates;
import io.hirundo.lib.run.rate.ScheduleSpan;
import io.hirundo.lib.run.strategy.StrategyDifference;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.DType;
import io.hirundo.train.TrainingRun;
import io.hirundo.trainer.internal.data.CurrentData;
import io.hirundo.trainer.internal.data.RunData;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The open ranks of a run in this process: models, data and progress. Independent of run
 * directories, events and checkpoints.
 */
public final class LocalRun implements TrainingRun {
    private final ModelSpec spec;
    private final LocalRanks ranks;
    private final Map<Integer, RankRun> runs = new ConcurrentHashMap<>();
    private final Opened opened;
    private RunConfiguration configuration;
    private Strategies strategies;
    private final CurrentData data;
    private final StepSequence steps = new StepSequence(this);
    private long stepsDone;
    /** Of the last step; NaN before the first one. */
    private double gradientNorm = Double.NaN;
    /** Whether a resumed run chose another schedule than that of its checkpoint. */
    private boolean rescheduled;

    private final RunAudits audits;

    /** Opens devices, models and data; initializes weights or loads them from {@code model.from}. On failure everything is closed. */
    public static LocalRun open(RunConfiguration configuration, Strategies strategies) {
        return open(configuration, strategies, false);
    }

    /**
     * As {@link #open(RunConfiguration, Strategies)}.
     *
     * @param seeks whether {@link #seek} follows: samples before that place are not read, so their tokens are not checked
     */
    public static LocalRun open(RunConfiguration configuration, Strategies strategies, boolean seeks) {
        var opened = new Opened();
        try {
            return new LocalRun(configuration, strategies, opened, seeks);
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    private LocalRun(RunConfiguration configuration, Strategies strategies, Opened opened, boolean seeks) {
        this.configuration = configuration;
        this.opened = opened;
        this.spec = strategies.model().architecture().describe();
        LayoutCheck.checkBegin(configuration, spec, strategies);
        this.strategies = strategies;
        this.data = opened.add(
                new CurrentData(RunData.open(configuration, strategies.data(), DataCursor.BEGINNING)),
                CurrentData::close);
        if (!seeks) {
            // Before a device is opened.
            data.get().rehearse(configuration, spec.vocabulary(), 0);
        }
        this.ranks = opened.add(
                new LocalRanks(
                        strategies.compute().backend(),
                        strategies.parallel().fabric(),
                        configuration.mesh().mesh()),
                LocalRanks::close);
        AuditWorker worker = configuration.audit().isOn() ? opened.add(new AuditWorker(), AuditWorker::close) : null;
        this.audits = new RunAudits(this, worker);
        opened.add(runs, all -> ranks.closeEach(all, RankRun::close));
        ranks.each(index -> runs.put(
                index,
                new RankRun(
                        ranks.get(index),
                        configuration,
                        strategies,
                        data.get().samples(),
                        data.get().validations(),
                        worker)));
        resetClock();
    }

    /** Runs the work on every rank of this process, on its thread. Collective: all processes must call it. */
    public <T> List<T> onEachRank(Function<RankRun, T> work) {
        return ranks.each(index -> work.apply(runs.get(index)));
    }

    /** As {@link #onEachRank}, without a result. */
    public void forEachRank(Consumer<RankRun> work) {
        onEachRank(run -> {
            work.accept(run);
            return null;
        });
    }

    /** As {@link #onEachRank}, for work without collectives: a failure does not abort the ranks. */
    public <T> List<T> attemptOnEachRank(Function<RankRun, T> work) {
        return ranks.attempt(index -> work.apply(runs.get(index)));
    }

    /** Runs work outside the rank threads; a failure aborts the collectives of ranks in other processes too. */
    public <T> T orAbort(Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error failure) {
            ranks.abort(failure);
            throw failure;
        }
    }

    /**
     * Sets the number of steps done and the data cursor, and checks tokens of the samples that follow; the caller restores weights and
     * optimizer state.
     */
    public void seek(long stepsDone, DataCursor begin) {
        if (!begin.equals(data.begin())) {
            replaceData(RunData.open(configuration, strategies.data(), begin));
        }
        data.get().rehearse(configuration, spec.vocabulary(), stepsDone);
        this.stepsDone = stepsDone;
        forEachRank(run -> run.seek(stepsDone));
        resetClock();
    }

    /** The learning rates of the steps. */
    public RunRates rates() {
        return runs.values().iterator().next().rates();
    }

    /**
     * Moves the learning-rate schedule to these steps.
     *
     * @param chosen whether it differs from what the run had
     */
    public void schedule(ScheduleSpan span, boolean chosen) {
        rescheduled |= chosen;
        forEachRank(run -> run.schedule(span));
    }

    /**
     * A configuration of this run as its {@code config.json} holds it. It names the length of the schedule where {@code training.steps} does not
     * say it, so that a later resume knows what was chosen.
     */
    public RunConfiguration recorded(RunConfiguration configuration) {
        long length = rates().span().steps();
        boolean isNamed = rescheduled
                || configuration.training().scheduleSteps() > 0
                || length != configuration.training().steps();
        return configuration.withScheduleSteps(isNamed ? length : 0);
    }

    /** Switches all ranks to other samples and closes the previous ones. */
    private void replaceData(RunData other) {
        stopReading();
        data.replace(other);
        forEachRank(run -> run.read(other.samples(), other.validations(), stepsDone));
    }

    private void stopReading() {
        if (data.isThere()) {
            forEachRank(RankRun::stopReading);
        }
    }

    /** All-gathers a string per process; the result has one per rank, in rank order. Collective. */
    public List<String> exchange(String own) {
        return onEachRank(run -> StringAllGather.exchange(run.model().rank(), own))
                .getFirst();
    }

    /** Switches to the prepared strategies. Returns what becomes of the optimizer's state, where another optimizer takes over. */
    Optional<String> take(StrategyChange change) {
        Optional<String> optimizerState = onEachRank(
                        run -> run.take(change.of(run), change.configuration(), change.strategies()))
                .getFirst();
        configuration = change.configuration();
        strategies = change.strategies();
        change.data().ifPresent(this::replaceData);
        resetClock();
        return optimizerState;
    }

    /** Steps of the run before the first one that the optimizer counts; the same on all ranks. */
    public long optimizerBegan() {
        return runs.values().iterator().next().update().optimizer().began();
    }

    /**
     * Closes everything that these strategies built. The run keeps its state, but needs a change to others before its next
     * step.
     *
     * @param lost strategies whose bundles are gone
     */
    public void release(StrategyDifference lost) {
        if (lost.data() && data.isThere()) {
            stopReading();
            data.release(samplesDone());
        }
        forEachRank(run -> run.release(lost));
    }

    /** What the ranks read. */
    public CurrentData data() {
        return data;
    }

    /** Whether all weights are finite, on every rank. Collective. */
    public boolean hasFiniteWeights() {
        boolean here = !device().computes()
                || onEachRank(run -> run.update().hasFiniteWeights()).stream().allMatch(finite -> finite);
        return ranks.areAll() ? here : exchange(String.valueOf(here)).stream().allMatch(Boolean::parseBoolean);
    }

    /** Global gradient norm of the last step; NaN before the first one. */
    public double gradientNorm() {
        return gradientNorm;
    }

    /** Consumed samples of all data-parallel ranks. */
    long samplesDone() {
        return stepsDone * configuration.training().globalBatch();
    }

    public RunConfiguration configuration() {
        return configuration;
    }

    public Strategies strategies() {
        return strategies;
    }

    @Override
    public StepMetrics step() {
        StepMetrics metrics = step(StepSignals.SILENT);
        // Embedding applications read parameters on a queue of their own.
        endStep();
        return metrics;
    }

    /** Waits for the last step's device work, before work outside steps; the time counts with the next step. */
    public void endStep() {
        forEachRank(run -> run.model().queue().drain());
        steps.carryClock();
    }

    /**
     * As {@link #step()}, but weight updates may still be queued. {@code own} is called near the end of the step;
     * {@link #lastStep} combines the signals of all ranks.
     */
    public StepMetrics step(Supplier<StepSignals> own) {
        if (stepsDone >= configuration.training().steps()) {
            throw new IllegalStateException("the run's " + stepsDone + " steps are done");
        }
        StepMetrics metrics = steps.next(stepsDone + 1, runs.get(0), own);
        stepsDone++;
        gradientNorm = metrics.gradientNorm();
        return metrics;
    }

    /** The report of the last step. */
    public StepReport lastStep() {
        return steps.last();
    }

    /** Records that a parity check runs, so the next step prepares more weights than usual. */
    void beginParityCheck() {
        steps.beginParityCheck();
    }

    /** Whether a parity check ran since the last step. */
    public boolean ranParityCheck() {
        return steps.ranParityCheck();
    }

    @Override
    public double evaluate() {
        return validation().loss();
    }

    @Override
    public Map<String, Object> settings() {
        return ConfigurationBinder.values(configuration);
    }

    @Override
    public Optional<FingerprintsTaken> fingerprints() {
        return lastStep().fingerprints();
    }

    @Override
    public Set<DType> operandTypes() {
        return strategies.compute().precision().forModel(spec).operandTypes();
    }

    @Override
    public List<Map<MemoryCategory, Long>> peakBytes() {
        return ranks.peakBytes();
    }

    /** Must not be called while the data source is missing. */
    public RunValidation validation() {
        return new RunValidation(this, data.get());
    }

    /** Excludes the time until now from the next step's time. */
    public void resetClock() {
        steps.resetClock();
    }

    @Override
    public List<Parameter> parameters() {
        return first().parameters();
    }

    @Override
    public Device device() {
        return first().device();
    }

    /** The model of the first rank in this process. */
    public RankModel first() {
        return runs.get(0).model();
    }

    /** The audit of this run; finds nothing where auditing is off. */
    public RunAudits audits() {
        return audits;
    }

    /** The ranks of this process. */
    public LocalRanks ranks() {
        return ranks;
    }

    public ModelSpec spec() {
        return spec;
    }

    public long stepsDone() {
        return stepsDone;
    }

    @Override
    public void close() {
        try {
            opened.close();
        } catch (CommunicationException ended) {
            // The failure that ended the world was already reported.
            if (!ranks.haveFailed()) {
                throw ended;
            }
        }
    }
}
