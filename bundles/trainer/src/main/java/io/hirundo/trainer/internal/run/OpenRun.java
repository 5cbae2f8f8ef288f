package io.hirundo.trainer.internal.run;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.train.TrainingRun;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ranks of a run that live in this process, open: models, data and how far they have come. Knows nothing of run
 * directories, events and checkpoints.
 */
public final class OpenRun implements TrainingRun {
  private static final Logger LOG = LoggerFactory.getLogger(OpenRun.class);
  private static final String VALIDATION = "validation";

  private final RunConfiguration configuration;
  private final Mesh mesh;
  private final ModelSpec spec;
  private final SampleSet samples;
  private final Map<String, SampleSet> validations = new LinkedHashMap<>();
  private final RankTeam team;
  private final Map<Integer, Rank> ranks = new ConcurrentHashMap<>();
  private final Map<Integer, RankRun> runs = new ConcurrentHashMap<>();
  private final Map<Integer, AccountedLedger> ledgers = new ConcurrentHashMap<>();
  private final Opened opened;
  private long stepsDone;
  private long clockNanos;
  private boolean stopAgreed;
  private volatile boolean failed;

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
    this.mesh = configuration.mesh().mesh();
    this.spec = strategies.model().architecture().describe();
    LayoutCheck.check(configuration, spec, strategies.parallel());
    this.samples = opened.add(strategies.data().source().open(sampleRequest()), SampleSet::close);
    requireSamples();
    openValidations(strategies);
    List<Integer> numbers = strategies.parallel().fabric().localRanks(mesh);
    this.team = opened.add(new RankTeam(numbers), RankTeam::close);
    openRanks(strategies, numbers);
    resetClock();
  }

  private void openRanks(Strategies strategies, List<Integer> numbers) {
    Rank.requireDevice(strategies.compute().backend());
    ComputeBackend backend = strategies.compute().backend().sharedBy(numbers.size());
    opened.add(ranks, all -> closeEach(all, Rank::close));
    opened.add(runs, all -> closeEach(all, RankRun::close));
    // Devices first: a rank that has none would keep the others waiting for it.
    team.each(
        index -> {
          ledgers.put(index, AccountedLedger.of(backend));
          return ranks.put(index, Rank.open(backend, index, ledgers.get(index)));
        });
    team.each(
        index -> {
          ranks.get(index).join(strategies.parallel().fabric(), numbers.get(index), mesh);
          return null;
        });
    each(
        index ->
            runs.put(index, new RankRun(ranks.get(index), configuration, strategies, samples, validations)));
  }

  private <T> void closeEach(Map<Integer, T> open, Consumer<T> close) {
    team.each(
        index -> {
          if (open.containsKey(index)) {
            close.accept(open.get(index));
          }
          return null;
        });
  }

  /** Does the work on every rank of this process; a failure of one ends the collectives of all. */
  private <T> List<T> each(IntFunction<T> work) {
    return team.each(
        work,
        (index, failure) -> {
          failed = true;
          ranks.get(index).world().abort(failure);
        });
  }

  /** Does the work on every rank of this process, on its thread; all processes of a run must do so. */
  <T> List<T> onEachRank(Function<RankRun, T> work) {
    return each(index -> work.apply(runs.get(index)));
  }

  /** Does what is not a rank's own work; its failure ends the collectives of ranks in other processes too. */
  <T> T orAbort(Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException | Error failure) {
      ranks.values().forEach(rank -> rank.world().abort(failure));
      throw failure;
    }
  }

  /** Continues after this many steps; weights and optimizer state are the caller's business. */
  void seek(long stepsDone) {
    onEachRank(
        run -> {
          run.seek(stepsDone);
          return null;
        });
    this.stepsDone = stepsDone;
    resetClock();
  }

  @Override
  public StepMetrics step() {
    return step(() -> false);
  }

  /** As {@link #step()}; {@code stop} is asked near its end, and {@link #isStopAgreed} tells what all ranks were told. */
  StepMetrics step(BooleanSupplier stop) {
    if (stepsDone >= configuration.training().steps()) {
      throw new IllegalStateException("the run's " + stepsDone + " steps are done");
    }
    StepRunner.Outcome outcome = onEachRank(run -> run.step(stop)).getFirst();
    stepsDone++;
    stopAgreed = outcome.stop();
    long now = System.nanoTime();
    long stepNanos = now - clockNanos;
    clockNanos = now;
    return new StepMetrics(
        outcome.loss(), outcome.gradientNorm(), runs.get(0).rateOf(stepsDone), tokensPerStep(), stepNanos, modelFlopsPerStep());
  }

  /** Whether any rank was asked to stop during the last step. */
  boolean isStopAgreed() {
    return stopAgreed;
  }

  @Override
  public double evaluate() {
    if (!validations.containsKey(VALIDATION)) {
      throw new ConfigurationException("data.source: the data has no validation part; give its split one");
    }
    return evaluate(VALIDATION, () -> false).orElseThrow().loss();
  }

  /**
   * Validation losses of the data and of what is watched beside it, by name; without those that have no validation part, and
   * those that were not whole when {@code stop} said so.
   */
  Map<String, Evaluator.Result> evaluateAll(BooleanSupplier stop) {
    var results = new LinkedHashMap<String, Evaluator.Result>();
    validations.keySet().forEach(name -> evaluate(name, stop).ifPresent(result -> results.put(name, result)));
    resetClock();
    return results;
  }

  private Optional<Evaluator.Result> evaluate(String name, BooleanSupplier stop) {
    return onEachRank(run -> run.evaluate(name, stop)).getFirst();
  }

  /** How many {@link #evaluateAll} finds when it is not stopped. */
  int validationCount() {
    return validations.size();
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

  /** The books of the first rank in this process. */
  AccountedLedger ledger() {
    return ledger(0);
  }

  /** {@code index}: of a rank among those in this process. */
  AccountedLedger ledger(int index) {
    return ledgers.get(index);
  }

  /** Of this process, in the order of their numbers. */
  List<Integer> rankNumbers() {
    return IntStream.range(0, team.size()).mapToObj(index -> ranks.get(index).world().rank()).toList();
  }

  /** Whether all ranks are in this process. */
  boolean isWholeWorld() {
    return team.size() == mesh.ranks();
  }

  Mesh mesh() {
    return mesh;
  }

  ModelSpec spec() {
    return spec;
  }

  String describeData() {
    return samples.describe();
  }

  long stepsDone() {
    return stepsDone;
  }

  RunPlan plan() {
    return new RunPlan(
        first().parameterCount(), stepsDone + 1, configuration.training().steps(), tokensPerStep(), modelFlopsPerStep());
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
      if (!failed) {
        throw ended;
      }
    }
  }

  private void openValidations(Strategies strategies) {
    addValidation(VALIDATION, samples);
    strategies
        .data()
        .watched()
        .forEach((name, source) -> addValidation(name, opened.add(source.open(sampleRequest()), SampleSet::close)));
  }

  private void addValidation(String name, SampleSet set) {
    if (Math.min(configuration.evaluation().samples(), set.count(Split.VALIDATION)) > 0) {
      validations.put(name, set);
    } else {
      LOG.warn("there is no {} loss: the data's split leaves no sample for it; give more documents, or the split another share",
          name);
    }
  }

  private void requireSamples() {
    var training = configuration.training();
    long needed = training.steps() * training.globalBatch();
    if (samples.count(Split.TRAINING) < needed) {
      throw new DataException(
          "data.source: " + training.steps() + " steps of " + training.globalBatch() + " samples need " + needed
              + ", but the data gives " + samples.count(Split.TRAINING) + "; lower training.steps or give more data");
    }
  }

  private long tokensPerStep() {
    return (long) configuration.training().globalBatch() * configuration.training().sequenceTokens();
  }

  private double modelFlopsPerStep() {
    var training = configuration.training();
    return FlopCount.ofStep(spec, training.globalBatch(), training.sequenceTokens());
  }

  private SampleRequest sampleRequest() {
    var training = configuration.training();
    return new SampleRequest(
        configuration.seed(),
        training.sequenceTokens(),
        training.steps() * training.globalBatch(),
        configuration.evaluation().samples());
  }
}
