package io.hirundo.planner.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Terminal;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.arguments.ConfigurationArguments;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.lib.terminal.WrappedText;
import io.hirundo.planner.internal.plan.ForecastTable;
import io.hirundo.planner.internal.plan.PlanProgress;
import io.hirundo.planner.internal.plan.RunForecast;
import io.hirundo.planner.internal.plan.RunPlanner;
import java.util.concurrent.CancellationException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Predicts what a run needs, to the byte, without running it. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=plan")
@picocli.CommandLine.Command(
        name = "plan",
        description = {
            "Predicts memory, FLOPs and communication of a run to the byte, without running it or reading its data.",
            "First says whether the fullest rank fits into its device. Exit code 71 if it does not."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo plan examples/synthetic.yaml",
            "  hirundo plan runs/quickstart-1/config.json --set training.recompute=full",
            "  hirundo plan examples/synthetic.yaml --tp 2 --pp 2 --dp 2 --schedule zb-h1",
            "  hirundo --profile cuda plan examples/llama-3.1-405b.yaml --device-gb 80"
        })
public final class PlanCommand implements Command {
    private final StrategyCatalog strategies;
    private final Interruption interruption;

    @Mixin
    private ConfigurationArguments arguments;

    @Option(
            names = "--device-gb",
            paramLabel = "GB",
            description = "Memory of a device in 10^9 bytes, to plan for devices that this machine does not have.")
    private Double deviceGigabytes;

    @Activate
    public PlanCommand(@Reference StrategyCatalog strategies, @Reference Interruption interruption) {
        this.strategies = strategies;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        return interruption.call("hirundo-plan", this::plan).orElse(ExitCode.INTERRUPTED);
    }

    private int plan() {
        if (deviceGigabytes != null && !(deviceGigabytes >= 1e-9)) {
            throw new ConfigurationException(
                    "--device-gb: " + deviceGigabytes + " is wrong (allowed: at least 1e-9, a byte)");
        }
        var configuration = arguments.read(strategies);
        try (var chosen = new StrategyResolver(strategies).resolve(configuration)) {
            RunForecast planned = forecast(configuration, chosen);
            RunForecast forecast =
                    deviceGigabytes == null ? planned : planned.onDevicesOf(Math.round(deviceGigabytes * 1e9));
            System.out.print(ForecastTable.of(forecast));
            chosen.compute().kernels().counted().forEach(line -> System.out.println(WrappedText.of(line, 2)));
            return forecast.fits() ? ExitCode.OK : ExitCode.DEVICE;
        } catch (CancellationException interrupted) {
            return ExitCode.INTERRUPTED;
        }
    }

    private RunForecast forecast(RunConfiguration configuration, Strategies chosen) {
        var progress = new PlanProgress(interruption, System.err, Terminal.isThere(), System::nanoTime);
        try {
            return new RunPlanner(strategies).plan(configuration, chosen, progress);
        } finally {
            progress.end();
        }
    }
}
