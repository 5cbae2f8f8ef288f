package io.hirundo.configuration.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.lib.run.arguments.ConfigurationArguments;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.fit.LayoutCheck;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.lib.run.strategy.StrategyResolver;
import java.io.PrintStream;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks a configuration and prints it with all defaults. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=config show")
@picocli.CommandLine.Command(
        name = "show",
        description =
                "Checks a configuration and prints it with all defaults filled in, as JSON; with --check, says what was checked instead.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo config show my.yaml",
            "  hirundo config show runs/first/config.json --set run.name=second",
            "  hirundo config show my.yaml --check && sbatch train.sbatch",
            "  hirundo config show my.yaml --set learningRate.options.peak=1e-4 --set monitors=[console]",
            "  hirundo config show my.yaml --tp 4 --dp 2 --check"
        })
public final class ConfigShowCommand implements Command {
    private static final String CHECKED = """
      : nothing is wrong
      checked      names and values of settings, strategies and their options, model,
                   mesh, pipeline stages, batches, schedule, learning rates, format of
                   the exported model
      not checked  tokenizer, data, memory (hirundo plan), devices, checkpoints
      """;

    private final StrategyCatalog catalog;
    private final Interruption interruption;

    @Mixin
    private ConfigurationArguments arguments;

    @Option(
            names = "--check",
            description =
                    "Checks all that needs no device, no data and no checkpoint, and says so in place of the configuration.")
    private boolean checkOnly;

    @Option(
            names = "--quiet",
            description = "With --check: prints nothing if nothing is wrong; the exit code is the result.")
    private boolean quiet;

    @Activate
    public ConfigShowCommand(@Reference StrategyCatalog catalog, @Reference Interruption interruption) {
        this.catalog = catalog;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        return interruption.call("hirundo-config", () -> show(System.out)).orElse(ExitCode.INTERRUPTED);
    }

    int show(PrintStream out) {
        var configuration = arguments.read(catalog);
        if (checkOnly) {
            List<String> warnings = LayoutCheck.check(configuration, new StrategyResolver(catalog));
            if (!quiet) {
                warnings.forEach(warning -> out.println("WARNING: " + warning));
                out.print(arguments.file() + CHECKED);
            }
        } else {
            out.print(ConfigurationBinder.json(configuration));
        }
        return ExitCode.OK;
    }
}
