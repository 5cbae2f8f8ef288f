package io.hirundo.trainer.internal.run;

import io.hirundo.ConfigurationException;
import io.hirundo.model.ModelSpec;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.trainer.internal.config.RunConfiguration;

/** Whether model, batches and mesh fit together: all of it shows before anything is opened. */
public final class LayoutCheck {
  private LayoutCheck() {}

  /** Makes only the strategies that are asked, and reads neither data nor tokenizer. */
  public static void check(RunConfiguration configuration, StrategyResolver strategies) {
    ModelSpec model = strategies.model(configuration).architecture().describe();
    check(configuration, model, strategies.parallel(configuration.mesh()));
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

  private static void check(RunConfiguration configuration, ModelSpec model, Strategies.Parallel parallel) {
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
