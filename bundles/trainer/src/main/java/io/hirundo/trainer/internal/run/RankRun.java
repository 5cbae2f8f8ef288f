package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.data.SampleSet;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** One rank's part of a run: its model, its share of the samples, and how far it has come. Belongs to the rank's thread. */
final class RankRun implements AutoCloseable {
  private final RunConfiguration configuration;
  private final LearningRateSchedule learningRate;
  private final RankModel model;
  private final RankUpdate update;
  private final StepRunner steps;
  private final SampleSet samples;
  private final Map<String, Evaluator> evaluators = new LinkedHashMap<>();
  private final Opened opened = new Opened();
  private BatchPrefetcher batches;
  private long stepsDone;

  /**
   * Opens the rank's part; weights are initialized or loaded from {@code model.from}. On failure nothing stays open.
   *
   * @param samples to learn from
   * @param validations sets with a validation part, by name
   */
  RankRun(
      Rank rank,
      RunConfiguration configuration,
      Strategies strategies,
      SampleSet samples,
      Map<String, SampleSet> validations) {
    this.configuration = configuration;
    this.learningRate = strategies.step().learningRate();
    this.samples = samples;
    var training = configuration.training();
    try {
      this.model =
          opened.add(
              RankModel.open(
                  rank,
                  strategies.compute(),
                  strategies.parallel(),
                  strategies.model().architecture(),
                  configuration.mesh().stageLayers()),
              RankModel::close);
      this.update =
          opened.add(new RankUpdate(model, strategies.step().optimizer(), training.clipNorm()), RankUpdate::close);
      this.steps = new StepRunner(model, update, training);
      validations.forEach(
          (name, set) ->
              evaluators.put(
                  name,
                  new Evaluator(
                      model, set, training.sequenceTokens(), configuration.evaluation().samples(), training.microBatch())));
      loadWeights(strategies);
      // Last: a reader that is under way must end before its samples are closed.
      seek(0);
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
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
            SampleShare.of(model.rank(), training.microBatch()),
            globalBatch,
            stepsDone * globalBatch,
            training.steps() * globalBatch);
  }

  /** Does the next step; {@code stop} is asked at its end. */
  StepRunner.Outcome step(BooleanSupplier stop) {
    HostBatch batch = batches.next();
    long step = stepsDone + 1;
    StepRunner.Outcome outcome = steps.step(batch, step, rateOf(step), stop);
    stepsDone = step;
    return outcome;
  }

  double rateOf(long step) {
    return learningRate.at(step, configuration.training().steps());
  }

  Optional<Evaluator.Result> evaluate(String name, BooleanSupplier stop) {
    return evaluators.get(name).evaluate(stop);
  }

  RankModel model() {
    return model;
  }

  /** All tensors of the training state that this rank owns, for saving and loading. */
  List<StateShard> stateShards() {
    return new ModelWeights(model).stateShards(update.state());
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

  @Override
  public void close() {
    try {
      if (batches != null) {
        batches.close();
      }
    } finally {
      opened.close();
    }
  }
}
