package io.hirundo.trainer.internal.run;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.train.TrainingRun;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run of one rank, open: model, data and how far it has come. Knows nothing of run directories, events and checkpoints. */
public final class OpenRun implements TrainingRun {
  private static final Logger LOG = LoggerFactory.getLogger(OpenRun.class);
  private static final String VALIDATION = "validation";

  private final RunConfiguration configuration;
  private final LearningRateSchedule learningRate;
  private final RankModel model;
  private final AccountedLedger ledger;
  private final RankUpdate update;
  private final StepRunner steps;
  private final SampleSet samples;
  private final Map<String, Evaluator> evaluators = new LinkedHashMap<>();
  private final Opened opened;
  private BatchPrefetcher batches;
  private long stepsDone;
  private long clockNanos;

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
    this.learningRate = strategies.step().learningRate();
    this.ledger = AccountedLedger.of(strategies.compute().backend());
    var training = configuration.training();
    var architecture = strategies.model().architecture();
    this.samples = opened.add(strategies.data().source().open(sampleRequest(configuration)), SampleSet::close);
    checkSequence(architecture.describe(), configuration);
    this.model =
        opened.add(
            RankModel.open(strategies.compute(), architecture, configuration.mesh().mesh(), ledger), RankModel::close);
    this.update =
        opened.add(new RankUpdate(model, strategies.step().optimizer(), training.clipNorm()), RankUpdate::close);
    this.steps = new StepRunner(model, update, strategies.step().schedule(), training);
    if (samples.count(Split.TRAINING) < training.steps() * training.globalBatch()) {
      throw new DataException(
          "data.source: " + training.steps() + " steps of " + training.globalBatch() + " samples need "
              + training.steps() * training.globalBatch() + ", but the data gives "
              + samples.count(Split.TRAINING) + "; lower training.steps or give more data");
    }
    evaluators.put(VALIDATION, evaluator(samples));
    strategies.data().watched().forEach(
        (name, source) -> {
          SampleSet set = opened.add(source.open(sampleRequest(configuration)), SampleSet::close);
          evaluators.put(name, evaluator(set));
        });
    evaluators.entrySet().removeIf(entry -> !isPossible(entry.getKey(), entry.getValue()));
    loadWeights(strategies);
    // Last: a reader that is under way must end before its samples are closed.
    seek(0);
  }

  /** Continues after this many steps; weights and optimizer state are the caller's business. */
  void seek(long stepsDone) {
    if (batches != null) {
      batches.close();
    }
    var training = configuration.training();
    int globalBatch = training.globalBatch();
    this.stepsDone = stepsDone;
    this.batches =
        new BatchPrefetcher(
            new BatchReader(samples, training.sequenceTokens(), model.spec().vocabulary()),
            globalBatch,
            stepsDone * globalBatch,
            training.steps() * globalBatch);
    resetClock();
  }

  @Override
  public StepMetrics step() {
    if (stepsDone >= configuration.training().steps()) {
      throw new IllegalStateException("the run's " + stepsDone + " steps are done");
    }
    HostBatch batch = batches.next();
    long step = stepsDone + 1;
    double rate = learningRate.at(step, configuration.training().steps());
    StepRunner.Outcome outcome = steps.step(batch, step, rate);
    stepsDone = step;
    long now = System.nanoTime();
    long stepNanos = now - clockNanos;
    clockNanos = now;
    return new StepMetrics(
        outcome.loss(), outcome.gradientNorm(), rate, batch.labels(), stepNanos, modelFlopsPerStep());
  }

  @Override
  public double evaluate() {
    Evaluator evaluator = evaluators.get(VALIDATION);
    if (evaluator == null) {
      throw new ConfigurationException("data.source: the data has no validation part; give its split one");
    }
    return evaluator.evaluate().loss();
  }

  /**
   * Validation losses of the data and of what is watched beside it, by name; without those that have no validation part, and
   * those that were not whole when {@code stop} said so.
   */
  Map<String, Evaluator.Result> evaluateAll(BooleanSupplier stop) {
    var results = new LinkedHashMap<String, Evaluator.Result>();
    evaluators.forEach((name, evaluator) -> evaluator.evaluate(stop).ifPresent(result -> results.put(name, result)));
    resetClock();
    return results;
  }

  /** What happens now does not count as a step's time. */
  void resetClock() {
    clockNanos = System.nanoTime();
  }

  @Override
  public List<Parameter> parameters() {
    return model.parameters();
  }

  @Override
  public Device device() {
    return model.device();
  }

  RankModel model() {
    return model;
  }

  AccountedLedger ledger() {
    return ledger;
  }

  /** All tensors of the training state, for saving and loading. */
  List<StateShard> stateShards() {
    return new ModelWeights(model).stateShards(update.state());
  }

  String describeData() {
    return samples.describe();
  }

  long stepsDone() {
    return stepsDone;
  }

  RunPlan plan() {
    var training = configuration.training();
    long tokens = (long) training.globalBatch() * training.sequenceTokens();
    return new RunPlan(model.parameterCount(), stepsDone + 1, training.steps(), tokens, modelFlopsPerStep());
  }

  DeviceInfo deviceInfo() {
    return model.device().info();
  }

  @Override
  public void close() {
    try {
      batches.close();
    } finally {
      opened.close();
    }
  }

  private static boolean isPossible(String name, Evaluator evaluator) {
    if (!evaluator.isPossible()) {
      LOG.warn("there is no {} loss: the data's split leaves no sample for it; give more documents, or the split another share",
          name);
    }
    return evaluator.isPossible();
  }

  private static void checkSequence(ModelSpec spec, RunConfiguration configuration) {
    int sequenceTokens = configuration.training().sequenceTokens();
    if (sequenceTokens > spec.maximumSequenceTokens()) {
      throw new ConfigurationException(
          "training.sequenceTokens: " + sequenceTokens + " is longer than the model allows ("
              + spec.maximumSequenceTokens() + ", its maxPositionEmbeddings)");
    }
  }

  private void loadWeights(Strategies strategies) {
    var weights = new ModelWeights(model);
    String from = configuration.model().from();
    if (from == null) {
      weights.initialize(configuration.seed());
    } else {
      try (ModelReader reader = strategies.model().format().orElseThrow().open(Path.of(from))) {
        weights.load(reader);
      }
    }
  }

  private Evaluator evaluator(SampleSet set) {
    var training = configuration.training();
    return new Evaluator(
        model, set, training.sequenceTokens(), configuration.evaluation().samples(), training.microBatch());
  }

  private double modelFlopsPerStep() {
    var training = configuration.training();
    return FlopCount.ofStep(model.spec(), training.globalBatch(), training.sequenceTokens());
  }

  private static SampleRequest sampleRequest(RunConfiguration configuration) {
    var training = configuration.training();
    return new SampleRequest(
        configuration.seed(),
        training.sequenceTokens(),
        training.steps() * training.globalBatch(),
        configuration.evaluation().samples());
  }
}
