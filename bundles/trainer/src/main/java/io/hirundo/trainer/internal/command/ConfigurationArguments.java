package io.hirundo.trainer.internal.command;

import io.hirundo.trainer.internal.binding.ChoiceResolver;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A configuration on the command line: a file, and what is changed in it. */
public final class ConfigurationArguments {
  @Parameters(paramLabel = "CONFIG", description = "YAML or JSON; the config.json of any run is one.")
  private Path file;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Changes one value, training.steps=100 for instance. May be given often.")
  private List<String> assignments = List.of();

  @Mixin private MeshArguments mesh = new MeshArguments();

  RunConfiguration read(ChoiceResolver strategies) {
    return new ConfigurationBinder(strategies).read(file, mesh.before(assignments));
  }
}
