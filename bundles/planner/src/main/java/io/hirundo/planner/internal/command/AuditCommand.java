package io.hirundo.planner.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Terminal;
import io.hirundo.lib.run.arguments.ConfigurationArguments;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.planner.internal.plan.AuditForecast;
import io.hirundo.planner.internal.plan.AuditTable;
import io.hirundo.planner.internal.plan.PlanProgress;
import io.hirundo.planner.internal.plan.RunPlanner;
import java.util.concurrent.CancellationException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Mixin;

/** Counts the cost of an audit, and the probability that it notices a fault, without running the training. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=audit")
@picocli.CommandLine.Command(
        name = "audit",
        description = {
            "Counts what auditing a run costs, and how likely a fault is noticed, without running it or reading its data.",
            "A run is audited with --set audit.rate=1; without a rate this command counts for one audit a step."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo audit examples/synthetic.yaml",
            "  hirundo audit examples/llama-3-8b.yaml --set audit.rate=0.1"
        })
public final class AuditCommand implements Command {
    private final StrategyCatalog strategies;
    private final Interruption interruption;

    @Mixin
    private ConfigurationArguments arguments;

    @Activate
    public AuditCommand(@Reference StrategyCatalog strategies, @Reference Interruption interruption) {
        this.strategies = strategies;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        return interruption.call("hirundo-audit", this::count).orElse(ExitCode.INTERRUPTED);
    }

    private int count() {
        var configuration = arguments.read(strategies).audited();
        var progress = new PlanProgress(interruption, System.err, Terminal.isThere(), System::nanoTime);
        try (var chosen = new StrategyResolver(strategies).resolve(configuration)) {
            var counted = new RunPlanner(strategies)
                    .plan(configuration, chosen, progress)
                    .counted();
            progress.end();
            System.out.print(AuditTable.of(
                    configuration.run().name(), configuration.audit().rate(), AuditForecast.of(counted)));
            return ExitCode.OK;
        } catch (CancellationException interrupted) {
            return ExitCode.INTERRUPTED;
        } finally {
            progress.end();
        }
    }
}
