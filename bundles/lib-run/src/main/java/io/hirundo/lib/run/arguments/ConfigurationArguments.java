package io.hirundo.lib.run.arguments;

import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
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

    /** The configuration file. */
    public Path file() {
        return file;
    }

    /** The complete configuration that they name; fails with every error of the file and the settings. */
    public RunConfiguration read(ChoiceResolver strategies) {
        return new ConfigurationBinder(strategies).read(file, mesh.before(assignments));
    }
}
