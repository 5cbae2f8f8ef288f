package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingListener;
import io.hirundo.mesh.Fabric;
import io.hirundo.model.Architecture;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes every chosen strategy, so that a wrong name or option is told before any device is opened. */
public final class StrategyResolver {
  private final StrategyRegistry registry;

  public StrategyResolver(StrategyRegistry registry) {
    this.registry = registry;
  }

  public Strategies resolve(RunConfiguration configuration) {
    var mesh = configuration.mesh();
    return new Strategies(
        new Strategies.Compute(
            registry.create(ComputeBackend.class, configuration.device(), "device"),
            registry.create(Fabric.class, mesh.fabric(), "mesh.fabric"),
            registry.create(PrecisionStrategy.class, configuration.precision(), "precision")),
        model(configuration),
        new Strategies.Step(
            registry.create(PipelineSchedule.class, mesh.schedule(), "mesh.schedule"),
            registry.create(Optimizer.class, configuration.optimizer(), "optimizer"),
            registry.create(LearningRateSchedule.class, configuration.learningRate(), "learningRate")),
        data(configuration),
        checkpoint(configuration),
        monitors(configuration));
  }

  private CheckpointStrategy checkpoint(RunConfiguration configuration) {
    Choice choice = configuration.checkpoint().strategy();
    return choice == null ? null : registry.create(CheckpointStrategy.class, choice, "checkpoint.strategy");
  }

  private Strategies.Model model(RunConfiguration configuration) {
    var section = configuration.model();
    ModelFormat format =
        section.format() != null
            ? registry.create(ModelFormat.class, section.format(), "model.format")
            : null;
    Choice choice = section.architecture();
    if (section.from() != null) {
      try (ModelReader reader = format.open(Path.of(section.from()))) {
        choice = reader.architecture();
      }
    }
    return new Strategies.Model(
        registry.create(Architecture.class, choice, "model.architecture"), choice, format);
  }

  private Strategies.Data data(RunConfiguration configuration) {
    Map<String, DataSource> watched = new LinkedHashMap<>();
    configuration
        .evaluation()
        .watched()
        .forEach(
            (name, choice) ->
                watched.put(name, registry.create(DataSource.class, choice, "evaluation.watched." + name)));
    var section = configuration.data();
    Tokenizer tokenizer =
        section.tokenizer() == null
            ? null
            : registry.create(Tokenizer.class, section.tokenizer(), "data.tokenizer");
    return new Strategies.Data(registry.create(DataSource.class, section.source(), "data.source"), watched, tokenizer);
  }

  private List<TrainingListener> monitors(RunConfiguration configuration) {
    var monitors = new ArrayList<TrainingListener>();
    for (int index = 0; index < configuration.monitors().size(); index++) {
      monitors.add(
          registry.create(TrainingListener.class, configuration.monitors().get(index), "monitors[" + index + "]"));
    }
    return List.copyOf(monitors);
  }
}
