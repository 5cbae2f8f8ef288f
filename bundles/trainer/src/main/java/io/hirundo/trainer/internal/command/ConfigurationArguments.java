package io.hirundo.trainer.internal.command;

import io.hirundo.trainer.internal.binding.ChoiceResolver;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command-line arguments that name a configuration file and single settings that override it. */
public final class ConfigurationArguments {
    @Parameters(paramLabel = "CONFIG", description = "YAML or JSON file, the config.json of a run for instance.")
    private Path file;

    @Option(
            names = "--set",
            paramLabel = "PATH=VALUE",
            description = "Sets one value, training.steps=100 for instance. Repeatable.")
    private List<String> assignments = List.of();

    @Mixin
    private MeshArguments mesh = new MeshArguments();

    Path file() {
        return file;
    }

    RunConfiguration read(ChoiceResolver strategies) {
        return new ConfigurationBinder(strategies).read(file, mesh.before(assignments));
    }
}
