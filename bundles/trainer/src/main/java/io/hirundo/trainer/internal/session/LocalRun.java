package io.hirundo.trainer.internal.session;

import io.hirundo.CommunicationException;
import io.hirundo.data.DataCursor;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.train.TrainingRun;
import io.hirundo.trainer.internal.accounting.CountedFabric;
import io.hirundo.trainer.internal.accounting.StepWork;
import io.hirundo.trainer.internal.audit.AuditWorker;
import io.hirundo.trainer.internal.audit.FindingText;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.data.CurrentData;
import io.hirundo.trainer.internal.data.RunData;
import io.hirundo.trainer.internal.layout.LayoutCheck;
import io.hirundo.trainer.internal.lifecycle.Opened;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.rank.LocalRanks;
import io.hirundo.trainer.internal.rank.StringAllGather;
import io.hirundo.trainer.internal.step.StepClock;
import io.hirundo.trainer.internal.step.StepReport;
import io.hirundo.trainer.internal.step.StepRunner;
import io.hirundo.trainer.internal.step.StepSignals;
import io.hirundo.trainer.internal.strategy.Strategies;
import io.hirundo.trainer.internal.strategy.StrategyDifference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The ranks of a run that live in this process, open: models, data and how far they have come. Knows nothing of run
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
  private final StepKernelTimer timer = new StepKernelTimer();
  private final StepClock clock = new StepClock();
  private long stepsDone;
  private StepReport lastStep = StepReport.NONE;
  private boolean triedOut;
  /** Null where nothing is audited. */
  private final AuditWorker audits;

  /** Opens everything; weights are initialized or loaded from {@code model.from}. On failure nothing stays open. */
  public static LocalRun open(RunConfiguration configuration, Strategies strategies) {
    var opened = new Opened();
    try {
      return new LocalRun(configuration, strategies, opened);
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  private LocalRun(RunConfiguration configuration, Strategies strategies, Opened opened) {
    this.configuration = configuration;
    this.opened = opened;
    this.spec = strategies.model().architecture().describe();
    LayoutCheck.checkBegin(configuration, spec, strategies);
    this.strategies = strategies;
    this.data = opened.add(new CurrentData(RunData.open(configuration, strategies.data(), DataCursor.BEGINNING)), CurrentData::close);
    this.ranks =
        opened.add(
            new LocalRanks(strategies.compute().backend(), strategies.parallel().fabric(), configuration.mesh().mesh()),
            LocalRanks::close);
    this.audits = configuration.audit().isOn() ? opened.add(new AuditWorker(), AuditWorker::close) : null;
    opened.add(runs, all -> ranks.closeEach(all, RankRun::close));
    ranks.each(
        index ->
            runs.put(index, new RankRun(ranks.get(index), configuration, strategies, data.get().samples(), data.get().validations(), audits)));
    resetClock();
  }

  /** Does the work on every rank of this process, on its thread; all processes of a run must do so. */
  public <T> List<T> onEachRank(Function<RankRun, T> work) {
    return ranks.each(index -> work.apply(runs.get(index)));
  }

  /** As {@link #onEachRank}, for work that finds nothing. */
  public void forEachRank(Consumer<RankRun> work) {
    onEachRank(
        run -> {
          work.accept(run);
          return null;
        });
  }

  /** As {@link #onEachRank}, for work without collectives: its failure leaves the ranks as they are. */
  public <T> List<T> attemptOnEachRank(Function<RankRun, T> work) {
    return ranks.attempt(index -> work.apply(runs.get(index)));
  }

  /** Does what is not a rank's own work; its failure ends the collectives of ranks in other processes too. */
  public <T> T orAbort(Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException | Error failure) {
      ranks.abort(failure);
      throw failure;
    }
  }

  /** Continues after this many steps; weights and optimizer state are the caller's business. */
  public void seek(long stepsDone, DataCursor begin) {
    if (!begin.equals(data.begin())) {
      replaceData(RunData.open(configuration, strategies.data(), begin));
    }
    this.stepsDone = stepsDone;
    forEachRank(run -> run.seek(stepsDone));
    resetClock();
  }

  /** Lets the ranks read other samples, and closes those that they read. */
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

  /** What every rank said, in the order of their numbers; all processes must ask, each speaks for its ranks. */
  public List<String> exchange(String own) {
    return onEachRank(run -> StringAllGather.exchange(run.model().rank(), own)).getFirst();
  }

  /** Goes on with what was prepared. */
  void take(StrategyChange change) {
    forEachRank(run -> run.take(change.of(run), change.configuration(), change.strategies()));
    configuration = change.configuration();
    strategies = change.strategies();
    change.data().ifPresent(this::replaceData);
    resetClock();
  }

  /**
   * Closes everything that these strategies made. No step can be done until a change has put others in their place; the state
   * of the run is kept.
   *
   * @param lost what has gone
   */
  public void release(StrategyDifference lost) {
    if (lost.data() && data.isThere()) {
      stopReading();
      data.release(samplesDone());
    }
    forEachRank(
        run -> {
          if (lost.blocks()) {
            run.model().releaseBlocks(lost.precision());
          }
          if (lost.optimizer()) {
            run.update().optimizer().release();
          }
        });
  }

  /** What the ranks read. */
  public CurrentData data() {
    return data;
  }

  /** Of all ranks together. */
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
    // Who embeds a run looks at its parameters with a queue of its own.
    endStep();
    return metrics;
  }

  /** Waits for what the last step still does, before something is done that is no step's work; it counts with the next step. */
  public void endStep() {
    forEachRank(run -> run.model().queue().drain());
    clock.carry();
  }

  /**
   * As {@link #step()}, but weights may still be updated; {@code own} is asked near its end, and {@link #lastStep} tells what any
   * rank had to tell.
   */
  public StepMetrics step(Supplier<StepSignals> own) {
    if (stepsDone >= configuration.training().steps()) {
      throw new IllegalStateException("the run's " + stepsDone + " steps are done");
    }
    ranks.ledger(0).clearWork();
    triedOut = false;
    StepRunner.Outcome outcome =
        timer.time(
            device(),
            configuration.evaluation().kernelTimesEverySteps(),
            stepsDone + 1,
            () -> onEachRank(run -> run.step(own)).getFirst());
    stepsDone++;
    lastStep = new StepReport(outcome.signals(), messageBytes(), timer.times(), runs.get(0).rounding(), runs.get(0).fingerprints());
    StepWork work = stepWork();
    return new StepMetrics(
        outcome.loss(), outcome.gradientNorm(), runs.get(0).rateOf(stepsDone), work.tokens(), clock.stepNanos(), work.modelFlops());
  }

  private Map<String, Long> messageBytes() {
    var bytes = new LinkedHashMap<String, Long>();
    CountedFabric.messages(ranks.ledger(0).work()).forEach((name, work) -> bytes.put(name, work.movedBytes()));
    return bytes;
  }

  /** What the last step told. */
  public StepReport lastStep() {
    return lastStep;
  }

  /** Blocks are being tried out, which leaves the next step other weights to prepare than most steps find. */
  void triesOut() {
    triedOut = true;
  }

  /** Whether any have been since the last step. */
  public boolean hasTriedOut() {
    return triedOut;
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
    return lastStep.fingerprints();
  }

  @Override
  public List<Map<MemoryCategory, Long>> peakBytes() {
    return ranks.peakBytes();
  }

  /** Not while the source of the samples is gone. */
  public RunValidation validation() {
    return new RunValidation(this, data.get());
  }

  /** What happens now does not count as a step's time. */
  public void resetClock() {
    clock.reset();
  }

  @Override
  public List<Parameter> parameters() {
    return first().parameters();
  }

  @Override
  public Device device() {
    return first().device();
  }

  /** Of the first rank in this process. */
  public RankModel first() {
    return runs.get(0).model();
  }

  /** What compares the audited results of this process's ranks; empty where nothing is audited. */
  public Optional<AuditWorker> audits() {
    return Optional.ofNullable(audits);
  }

  /** Whether the audit of this process has something to tell; the other processes are to be told with the step. Any thread may ask. */
  public boolean hasAuditNews() {
    return audits != null && audits.hasNews();
  }

  /** What the audit found wrong on any rank and was not told yet, once all is compared. All processes must ask. */
  public List<AuditFound> auditFindings() {
    if (audits == null) {
      return List.of();
    }
    forEachRank(RankRun::finishAudit);
    audits.await();
    List<AuditFound> own = onEachRank(RankRun::auditFindings).stream().flatMap(List::stream).toList();
    // Each rank repeats what its process says.
    return exchange(FindingText.of(own)).stream().flatMap(FindingText::parse).distinct().toList();
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
      // What a world that has failed cannot finish was told with its failure.
      if (!ranks.haveFailed()) {
        throw ended;
      }
    }
  }

  /** What each step does. */
  StepWork stepWork() {
    return StepWork.of(spec, configuration.training());
  }
}
