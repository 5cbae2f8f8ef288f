package io.hirundo.trainer.internal.run;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.data.Tokenizer;
import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.trainer.internal.config.MeshSection;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Makes a model's folder of a checkpoint, on one rank whatever the layout that saved it, without what only training needs. */
public final class CheckpointExport {
  /**
   * What was done.
   *
   * @param step of the checkpoint
   * @param compared empty where the files were not compared with the model
   */
  public record Written(long step, Optional<ModelCompared> compared) {}

  private final StrategyRegistry registry;
  private final RunConfiguration configuration;

  /** {@code configuration}: of the run that saved. */
  public CheckpointExport(StrategyRegistry registry, RunConfiguration configuration) {
    this.registry = registry;
    this.configuration = configuration;
  }

  /**
   * Writes model and tokenizer, as the run does at its end. The run must not be going on.
   *
   * @param checkpoint its folder
   * @param into folder of the model; replaced where there is one
   * @return the step of the checkpoint, and what was found when the files were compared with it
   */
  public Written write(Path checkpoint, Path into) {
    var resolver = new StrategyResolver(registry);
    var described = resolver.model(configuration);
    var format =
        described.format()
            .orElseThrow(() -> new ConfigurationException("model.format: the run has none; give one with --set model.format=huggingface"));
    var compute =
        new Strategies.Compute(
            registry.create(ComputeBackend.class, configuration.device(), "device"),
            registry.create(PrecisionStrategy.class, configuration.precision(), "precision"));
    try (var model = RankModel.openAlone(compute, resolver.parallel(new MeshSection()), described.architecture())) {
      long step = load(model, checkpoint);
      var parity = ModelParity.of(model, step, configuration.model().parityTolerance());
      new ModelExport(model)
          .write(format, into, described.choice(), written -> parity.ifPresent(each -> each.requireWritten(into, written)));
      saveTokenizer(into);
      return new Written(step, parity.flatMap(ModelParity::found));
    }
  }

  private long load(RankModel model, Path checkpoint) {
    if (configuration.checkpoint().strategy() == null) {
      throw new ConfigurationException("checkpoint.strategy: the run has none; give one with --set checkpoint.strategy=sync");
    }
    var strategy =
        registry.create(CheckpointStrategy.class, configuration.checkpoint().strategy(), "checkpoint.strategy");
    Rank rank = model.rank();
    var context = new CheckpointContext(checkpoint.getParent(), rank.world(), rank.device(), rank.queue());
    try (CheckpointSession session = strategy.open(context)) {
      CheckpointInfo found =
          session.list().stream()
              .filter(info -> info.path().equals(checkpoint))
              .findFirst()
              .orElseThrow(() -> new CheckpointException(checkpoint + " is no whole checkpoint; see 'hirundo checkpoint list'"));
      session.load(found, new ModelWeights(model).stateShards(List.of()));
      model.weightsChanged();
      return found.step();
    }
  }

  private void saveTokenizer(Path into) {
    if (configuration.data().tokenizer() == null) {
      return;
    }
    try (Tokenizer tokenizer = registry.create(Tokenizer.class, configuration.data().tokenizer(), "data.tokenizer")) {
      tokenizer.save(into);
    }
  }
}
