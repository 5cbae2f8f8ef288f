package io.hirundo.trainer.internal.run;

import io.hirundo.ConfigurationException;
import io.hirundo.model.ModelSpec;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.nio.file.Path;
import java.util.List;

/** Whether model, batches and mesh fit together: all of it shows before anything is opened. */
public final class LayoutCheck {
  /** Steps whose learning rate is looked at. */
  private static final int RATES = 1_000;

  private LayoutCheck() {}

  /** Makes all strategies, as a run does, and reads neither data nor tokenizer. */
  public static void check(RunConfiguration configuration, StrategyResolver resolver) {
    try (Strategies strategies = resolver.resolve(configuration)) {
      checkBegin(configuration, strategies.model().architecture().describe(), strategies);
    }
  }

  /** As {@link #check(RunConfiguration, ModelSpec, Strategies)}, for a run from its first step to its last. */
  static void checkBegin(RunConfiguration configuration, ModelSpec model, Strategies strategies) {
    check(configuration, model, strategies);
    requireRates(configuration.training().steps(), strategies.step().learningRate());
    requireWritable(configuration, model, strategies);
  }

  /** What fits but is hardly meant: of a configuration that was checked. */
  public static List<String> warnings(RunConfiguration configuration, Strategies strategies) {
    ModelSpec model = strategies.model().architecture().describe();
    var mesh = configuration.mesh();
    return Stages.withoutLayers(model, Stages.of(model, mesh.stageLayers(), strategies.parallel().schedule(), mesh.pipeline())).stream()
        .toList();
  }

  /** As {@link #check(RunConfiguration, ModelSpec, Strategies.Parallel)}, and whether the precision can work with it. */
  static void check(RunConfiguration configuration, ModelSpec model, Strategies strategies) {
    check(configuration, model, strategies.parallel());
    int context = configuration.mesh().context();
    if (context > 1) {
      int pieces = strategies.parallel().context().pieces(0, context).size() * context;
      var support =
          strategies.compute().precision().forModel(model).supportsPieces(configuration.training().sequenceTokens() / pieces);
      if (!support.supported()) {
        throw new ConfigurationException("precision: cannot compute with mesh.context " + context + ": " + support.reason());
      }
    }
  }

  /** A rate that is none would be in the weights before any loss shows it. Of a long run some steps stand for all. */
  private static void requireRates(long steps, LearningRateSchedule schedule) {
    for (long look = 0; look < Math.min(steps, RATES); look++) {
      long step = steps <= RATES ? look + 1 : 1 + (long) ((double) look / (RATES - 1) * (steps - 1));
      requireRate(schedule, step, steps);
    }
  }

  static void requireRate(LearningRateSchedule schedule, long step, long steps) {
    double rate = schedule.at(step, steps);
    if (!(rate >= 0 && Double.isFinite(rate))) {
      throw new ConfigurationException("learningRate: " + rate + " at step " + step + "; allowed: a finite number of at least 0");
    }
  }

  /** What is written after the last step is asked for before the first. A write that begins touches no storage. */
  private static void requireWritable(RunConfiguration configuration, ModelSpec model, Strategies strategies) {
    if (configuration.model().export()) {
      Path folder = Path.of(configuration.run().directory(), "model");
      var tensors = ModelTensors.of(model, strategies.compute().precision().parameterType());
      strategies
          .model()
          .exportFormat()
          .ifPresent(format -> StagedWriting.begin(format, folder, strategies.model().choice(), tensors).close());
    }
  }

  private static void check(RunConfiguration configuration, ModelSpec model, Strategies.Parallel parallel) {
    SizeCheck.check(configuration, model);
    var training = configuration.training();
    var mesh = configuration.mesh();
    int sequenceTokens = training.sequenceTokens();
    if (sequenceTokens > model.maximumSequenceTokens()) {
      throw new ConfigurationException(
          "training.sequenceTokens: " + sequenceTokens + " is longer than the model allows ("
              + model.maximumSequenceTokens() + ", its maxPositionEmbeddings)");
    }
    int pieces = mesh.context() == 1 ? 1 : parallel.context().pieces(0, mesh.context()).size() * mesh.context();
    if (sequenceTokens % pieces != 0) {
      throw new ConfigurationException(
          "training.sequenceTokens: " + sequenceTokens + " cannot be cut into " + pieces + " pieces for mesh.context "
              + mesh.context() + "; allowed: multiples of " + pieces);
    }
    if (mesh.tensor() > 1) {
      parallel.tensor().check(model, mesh.tensor());
      // Of a single sequence: the last microbatch of a validation may be that small.
      parallel.tensor().residualTokens(sequenceTokens / mesh.context(), mesh.tensor());
    }
    Stages.of(model, mesh.stageLayers(), parallel.schedule(), mesh.pipeline());
    checkSchedule(configuration, parallel);
  }

  /** A schedule knows neither its setting nor where its microbatches come from. */
  private static void checkSchedule(RunConfiguration configuration, Strategies.Parallel parallel) {
    var training = configuration.training();
    var mesh = configuration.mesh();
    int microbatches = training.globalBatch() / (training.microBatch() * mesh.data());
    try {
      PipelinePlan.of(parallel.schedule(), mesh.pipeline(), microbatches);
    } catch (ConfigurationException refusal) {
      throw new ConfigurationException(
          "mesh.schedule: " + refusal.getMessage() + " (mesh.pipeline " + mesh.pipeline() + "; microbatches are training.globalBatch "
              + training.globalBatch() + " over training.microBatch " + training.microBatch() + " times mesh.data " + mesh.data()
              + ")",
          refusal);
    }
  }
}
