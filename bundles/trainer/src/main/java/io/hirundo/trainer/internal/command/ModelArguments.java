package io.hirundo.trainer.internal.command;

import io.hirundo.data.Tokenizer;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.trainer.internal.generate.OpenModel;
import io.hirundo.trainer.internal.model.RankModel;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Command-line arguments that name a model. */
public final class ModelArguments {
  @Option(names = "--model", paramLabel = "DIR", required = true, description = "Folder of the model.")
  private Path model;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "huggingface",
      description = "Format of the model. Default: ${DEFAULT-VALUE}.")
  private String format;

  @Option(names = "--device", paramLabel = "NAME", defaultValue = "cpu", description = "Device. Default: ${DEFAULT-VALUE}.")
  private String device;

  @Option(
      names = "--precision",
      paramLabel = "NAME",
      defaultValue = "fp32",
      description = "Precision. Default: ${DEFAULT-VALUE}.")
  private String precision;

  /** The caller closes it. */
  RankModel open(StrategyRegistry registry) {
    return OpenModel.open(registry, model, Choice.of(format), Choice.of(device), Choice.of(precision));
  }

  /** The tokenizer in the model's folder. The caller closes it. */
  Tokenizer tokenizer(StrategyRegistry registry) {
    var choice = new Choice("huggingface", Map.of("file", model.toString()));
    return registry.create(Tokenizer.class, choice, "--model");
  }
}
