package io.hirundo.monitor.internal.console;

import io.hirundo.command.Quantity;
import io.hirundo.command.ShellLine;
import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.mesh.Mesh;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The summary before the first step: model, steps, device, layout, tokens, and the command for the report. */
record RunHeader(Style style) {
    /** Axes with more than one rank, the fastest-varying one first. */
    private static String mesh(Mesh mesh) {
        return mesh.sizes().entrySet().stream()
                .filter(axis -> axis.getValue() > 1)
                .map(axis -> axis.getKey().name().toLowerCase(Locale.ROOT) + " " + axis.getValue())
                .reduce((first, second) -> first + " x " + second)
                .map(axes -> ", " + axes)
                .orElse("");
    }

    String of(RunStarted event) {
        RunPlan plan = event.plan();
        int ranks = event.mesh().ranks();
        return style.strong(event.name())
                + ": "
                + Quantity.compact(plan.parameters())
                + " parameters, "
                + steps(plan)
                + ", on "
                + (ranks == 1 ? "" : ranks + " x ")
                + event.device().backend()
                + " ("
                + event.device().name()
                + ")"
                + mesh(event.mesh())
                + "\n"
                + amounts(event)
                + stages(event.stages());
    }

    /** One line per pipeline stage, if there are several. */
    private String stages(List<Stage> stages) {
        if (stages.size() < 2) {
            return "";
        }
        int width =
                stages.stream().mapToInt(stage -> stage.ranks().length()).max().orElseThrow();
        return IntStream.range(0, stages.size())
                .mapToObj(place -> String.format(
                        Locale.ROOT,
                        "\n  %s %d  %s %-" + width + "s  %s",
                        style.faint("pipeline"),
                        place,
                        style.faint("ranks"),
                        stages.get(place).ranks(),
                        stages.get(place).blocks()))
                .collect(Collectors.joining());
    }

    /** Prints the command instead of the report's path, which only the command {@code report} knows. */
    private String amounts(RunStarted event) {
        RunPlan plan = event.plan();
        return "  "
                + Quantity.compact((double) plan.lastStep() * plan.tokensPerStep())
                + style.faint(" tokens in total, ")
                + (event.mesh().ranks() == 1 ? "one rank" : event.mesh().ranks() + " ranks")
                + style.faint("; page with curves: ")
                + ShellLine.of("report", event.directory().toString());
    }

    private static String steps(RunPlan plan) {
        return plan.firstStep() > plan.lastStep()
                ? "all " + plan.lastStep() + " steps are done already (training.steps)"
                : "steps " + plan.firstStep() + " to " + plan.lastStep() + " of "
                        + Quantity.compact(plan.tokensPerStep()) + " tokens";
    }
}
