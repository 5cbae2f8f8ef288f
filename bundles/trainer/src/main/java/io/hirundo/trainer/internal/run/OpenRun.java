package io.hirundo.trainer.internal.run;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import io.hirundo.data.DataCursor;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.KernelTimes;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.train.TrainingRun;
import io.hirundo.trainer.internal.lifecycle.Opened;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The ranks of a run that live in this process, open: models, data and how far they have come. Knows nothing of run
 * directories, events and checkpoints.
 */
public final class OpenRun implements TrainingRun {
  private final ModelSpec spec;
  private final LocalRanks ranks;
  private final Map<Integer, RankRun> runs = new ConcurrentHashMap<>();
  private final Opened opened;
  private RunConfiguration configuration;
  private Strategies strategies;
  private final DataInUse data;
  private final StepTimer timer = new StepTimer();
  private long stepsDone;
  private long clockNanos;
  /** Of work that began in the last step and was waited for after it; counts with the next one. */
  private long carriedNanos;
  private Signals signals = Signals.NONE;
  private Map<String, Long> messageBytes = Map.of();
  private boolean triedOut;

  /** Opens everything; weights are initialized or loaded from {@code model.from}. On failure nothing stays open. */
  public static OpenRun open(RunConfiguration configuration, Strategies strategies) {
    var opened = new Opened();
    try {
      return new OpenRun(configuration, strategies, opened);
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  private OpenRun(RunConfiguration configuration, Strategies strategies, Opened opened) {
    this.configuration = configuration;
    this.opened = opened;
    this.spec = strategies.model().architecture().describe();
    LayoutCheck.check(configuration, spec, strategies);
    this.strategies = strategies;
    this.data = opened.add(new DataInUse(RunData.open(configuration, strategies.data(), DataCursor.BEGINNING)), DataInUse::close);
    this.ranks =
        opened.add(
            new LocalRanks(strategies.compute().backend(), strategies.parallel().fabric(), configuration.mesh().mesh()),
            LocalRanks::close);
    opened.add(runs, all -> ranks.closeEach(all, RankRun::close));
    ranks.each(
        index ->
            runs.put(index, new RankRun(ranks.get(index), configuration, strategies, data.get().samples(), data.get().validations())));
    resetClock();
  }

  /** Does the work on every rank of this process, on its thread; all processes of a run must do so. */
  <T> List<T> onEachRank(Function<RankRun, T> work) {
    return ranks.each(index -> work.apply(runs.get(index)));
  }

  /** As {@link #onEachRank}, for work without collectives: its failure leaves the ranks as they are. */
  <T> List<T> attemptOnEachRank(Function<RankRun, T> work) {
    return ranks.attempt(index -> work.apply(runs.get(index)));
  }

  /** Does what is not a rank's own work; its failure ends the collectives of ranks in other processes too. */
  <T> T orAbort(Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException | Error failure) {
      ranks.abort(failure);
      throw failure;
    }
  }

  /** Continues after this many steps; weights and optimizer state are the caller's business. */
  void seek(long stepsDone, DataCursor begin) {
    if (!begin.equals(data.begin())) {
      replaceData(RunData.open(configuration, strategies.data(), begin));
    }
    this.stepsDone = stepsDone;
    onEachRank(
        run -> {
          run.seek(stepsDone);
          return null;
        });
    resetClock();
  }

  /** Lets the ranks read other samples, and closes those that they read. */
  private void replaceData(RunData other) {
    stopReading();
    data.replace(other);
    onEachRank(
        run -> {
          run.read(other.samples(), other.validations(), stepsDone);
          return null;
        });
  }

  private void stopReading() {
    if (data.isThere()) {
      onEachRank(
          run -> {
            run.stopReading();
            return null;
          });
    }
  }

  /** What every rank said, in the order of their numbers; all processes must ask, each speaks for its ranks. */
  List<String> exchange(String own) {
    return onEachRank(run -> RankText.exchange(run.model().rank(), own)).getFirst();
  }

  /** Goes on with what was prepared. */
  void take(StrategyChange change) {
    onEachRank(
        run -> {
          run.take(change.of(run), change.configuration(), change.strategies());
          return null;
        });
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
  void release(Changes lost) {
    if (lost.data() && data.isThere()) {
      stopReading();
      data.release(samplesDone());
    }
    onEachRank(
        run -> {
          if (lost.blocks()) {
            run.model().releaseBlocks(lost.precision());
          }
          if (lost.optimizer()) {
            run.update().optimizer().release();
          }
          return null;
        });
  }

  /** Whence a source that takes over now goes on. */
  DataCursor cursor() {
    return data.cursorAfter(samplesDone());
  }

  private long samplesDone() {
    return stepsDone * configuration.training().globalBatch();
  }

  /** Whence the present source reads; saved with the run, which then reads on as if it had never stopped. */
  DataCursor dataBegin() {
    return data.begin();
  }

  /** Whether there are samples to read; not while their source is gone. */
  boolean hasData() {
    return data.isThere();
  }

  RunConfiguration configuration() {
    return configuration;
  }

  Strategies strategies() {
    return strategies;
  }

  @Override
  public StepMetrics step() {
    StepMetrics metrics = step(Signals.SILENT);
    // Who embeds a run looks at its parameters with a queue of its own.
    endStep();
    return metrics;
  }

  /** Waits for what the last step still does, before something is done that is no step's work; it counts with the next step. */
  void endStep() {
    onEachRank(
        run -> {
          run.model().queue().drain();
          return null;
        });
    long now = System.nanoTime();
    carriedNanos += now - clockNanos;
    clockNanos = now;
  }

  /**
   * As {@link #step()}, but weights may still be updated; {@code own} is asked near its end, and {@link #signals} tells what any rank
   * had to tell.
   */
  StepMetrics step(Supplier<Signals> own) {
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
    messageBytes = bytes(CountedFabric.messages(ranks.ledger(0).work()));
    stepsDone++;
    signals = outcome.signals();
    long now = System.nanoTime();
    long stepNanos = now - clockNanos + carriedNanos;
    clockNanos = now;
    carriedNanos = 0;
    return new StepMetrics(
        outcome.loss(), outcome.gradientNorm(), runs.get(0).rateOf(stepsDone), tokensPerStep(), stepNanos, modelFlopsPerStep());
  }

  /** What kernels took in the last step, on the device of this process's first rank; empty where they were not timed. */
  Optional<KernelTimes> kernelTimes() {
    return timer.times();
  }

  /** What rounding lost in the last step; empty where it was not measured. */
  List<LayerRounding> rounding() {
    return runs.get(0).rounding();
  }

  private static Map<String, Long> bytes(Map<String, AccountedLedger.Work> messages) {
    var bytes = new LinkedHashMap<String, Long>();
    messages.forEach((name, work) -> bytes.put(name, work.movedBytes()));
    return bytes;
  }

  /** Of the first rank's messages in the last step, by collective and axes. */
  Map<String, Long> messageBytes() {
    return messageBytes;
  }

  /** Blocks are being tried out, which leaves the next step other weights to prepare than most steps find. */
  void triesOut() {
    triedOut = true;
  }

  /** Whether any have been since the last step. */
  boolean hasTriedOut() {
    return triedOut;
  }

  /** What any rank had to tell during the last step. */
  Signals signals() {
    return signals;
  }

  @Override
  public double evaluate() {
    if (!data.get().validations().containsKey(RunData.VALIDATION)) {
      throw new ConfigurationException("data.source: the data has no validation part; give its split one");
    }
    return evaluate(RunData.VALIDATION, () -> false).orElseThrow().loss();
  }

  /**
   * Validation losses of the data and of what is watched beside it, by name; without those that have no validation part, and
   * those that were not whole when {@code stop} said so.
   */
  Map<String, Evaluator.Result> evaluateAll(BooleanSupplier stop) {
    var results = new LinkedHashMap<String, Evaluator.Result>();
    data.get().validations().keySet().forEach(name -> evaluate(name, stop).ifPresent(result -> results.put(name, result)));
    resetClock();
    return results;
  }

  private Optional<Evaluator.Result> evaluate(String name, BooleanSupplier stop) {
    return onEachRank(run -> run.evaluate(name, stop)).getFirst();
  }

  /** How many {@link #evaluateAll} finds when it is not stopped. */
  int validationCount() {
    return data.get().validations().size();
  }

  /** What happens now does not count as a step's time. */
  void resetClock() {
    clockNanos = System.nanoTime();
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
  RankModel first() {
    return runs.get(0).model();
  }

  /** The ranks of this process. */
  LocalRanks ranks() {
    return ranks;
  }

  ModelSpec spec() {
    return spec;
  }

  String describeData() {
    return data.get().samples().describe();
  }

  long stepsDone() {
    return stepsDone;
  }

  RunPlan plan() {
    return new RunPlan(
        first().parameterCount(), stepsDone + 1, configuration.training().steps(), tokensPerStep(), modelFlopsPerStep());
  }

  /** How the linear layers of this process's ranks are computed, in lines; none where the precision's name says all. */
  List<String> describeProducts() {
    return onEachRank(part -> part.model().describeProducts()).stream().flatMap(List::stream).distinct().toList();
  }

  /** The run as it is now, for who listens from now on. */
  TrainingEvent.RunStarted started(RunDirectory directory) {
    return new TrainingEvent.RunStarted(
        configuration.run().name(), directory.path(), deviceInfo(), ranks.mesh(), first().describeStages(), plan());
  }

  DeviceInfo deviceInfo() {
    return device().info();
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

  private long tokensPerStep() {
    return (long) configuration.training().globalBatch() * configuration.training().sequenceTokens();
  }

  private double modelFlopsPerStep() {
    var training = configuration.training();
    return FlopCount.ofStep(spec, training.globalBatch(), training.sequenceTokens());
  }
}
