package io.hirundo.control.internal.command;

import io.hirundo.command.PromptCommand;
import io.hirundo.command.Quantity;
import io.hirundo.train.Decision;
import io.hirundo.train.RunControl;
import io.hirundo.train.RunStatus;
import io.hirundo.train.StrategyInUse;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** The commands that send a request to the run and wait for its decision. */
final class RunCommands {
    private final RunControl control;
    private final SettingCompletion completion;

    private RunCommands(RunControl control) {
        this.control = control;
        this.completion = new SettingCompletion(control);
    }

    static List<PromptCommand> of(RunControl control) {
        RunCommands commands = new RunCommands(control);
        return List.of(
                new RunCommand("status", "shows step, loss, tokens per second", (_, out) -> commands.status(out)),
                new RunCommand(
                        "strategies",
                        "lists the run's strategies and their bundles",
                        (_, out) -> commands.strategies(out)),
                new RunCommand(
                        "swap KIND NAME [OPTIONS]",
                        "swaps a strategy from the next step on: swap precision bf16,\nswap mesh.schedule interleaved {chunks: 2}",
                        commands::swap,
                        commands.completion::swap),
                new RunCommand(
                        "set PATH=VALUE ...",
                        "changes settings, all or none: set learningRate.options.peak=0.001\n(quotes around values with blanks: run.name='a b')",
                        commands::set,
                        commands.completion::set),
                new RunCommand(
                        "checkpoint now",
                        "saves the training state",
                        commands::checkpoint,
                        words -> words.size() == 1 ? List.of("now") : List.of()),
                new RunCommand(
                        "pause", "pauses after the current step", (_, out) -> commands.decide(control.pause(), out)),
                new RunCommand("resume", "continues after a pause", (_, out) -> commands.resume(out)),
                new RunCommand(
                        "stop",
                        "stops the run, as Ctrl-C does; saves a checkpoint first if checkpoint.atEnd is true",
                        (_, out) -> commands.decide(control.stop(), out)));
    }

    private void status(PrintStream out) {
        RunStatus status = control.status();
        RunStatus.Progress progress = status.progress();
        var line =
                new StringBuilder(status.name() + ": " + status.state().name().toLowerCase(Locale.ROOT));
        if (!status.reason().isEmpty()) {
            line.append(" (").append(status.reason()).append(')');
        }
        line.append(", step ").append(progress.step()).append(" of ").append(progress.steps());
        if (progress.step() > 0 && !Double.isNaN(progress.loss())) {
            line.append(String.format(
                    Locale.ROOT,
                    ", loss %s, %.0f tokens/s",
                    Quantity.fixed(progress.loss(), 4),
                    progress.tokensPerSecond()));
        }
        line.append(", ").append(progress.consumedSamples()).append(" samples consumed");
        out.println(line);
    }

    private void strategies(PrintStream out) {
        List<StrategyInUse> used = control.strategies();
        int paths = used.stream()
                .mapToInt(strategy -> strategy.path().length())
                .max()
                .orElse(1);
        int names = used.stream()
                .mapToInt(strategy -> strategy.name().length())
                .max()
                .orElse(1);
        String format = "%-" + paths + "s  %-" + names + "s  %s%n";
        used.forEach(strategy -> out.printf(
                format, strategy.path(), strategy.name(), strategy.bundle().isEmpty() ? "(gone)" : strategy.bundle()));
    }

    private void swap(List<String> words, PrintStream out) throws InterruptedException {
        if (words.size() < 2 || words.size() > 3) {
            throw new MisunderstoodException(
                    "swap needs a kind and a name, and takes options; type: swap precision bf16 "
                            + "or: swap schedule interleaved {chunks: 2}");
        }
        String path = SettingPaths.of(words.get(0), control.strategies());
        String choice = words.size() == 2
                ? words.get(1)
                : "{name: " + quoted(words.get(1)) + ", options: " + options(words.get(2)) + "}";
        decide(control.change(List.of(path + "=" + choice)), out);
    }

    private static String quoted(String name) {
        return "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static String options(String text) {
        if (!text.startsWith("{") || !text.endsWith("}")) {
            throw new MisunderstoodException(
                    "the options of a strategy are an object, for example {chunks: 2}, not " + text);
        }
        return text;
    }

    private void set(List<String> words, PrintStream out) throws InterruptedException {
        decide(control.change(Assignments.of(words, control.strategies())), out);
    }

    private void checkpoint(List<String> words, PrintStream out) throws InterruptedException {
        if (!words.isEmpty() && !words.equals(List.of("now"))) {
            throw new MisunderstoodException("checkpoint needs the word now; type: checkpoint now");
        }
        decide(control.saveCheckpoint(), out);
    }

    private void resume(PrintStream out) throws InterruptedException {
        try {
            decide(control.resume(), out);
        } catch (RejectedException rejection) {
            // The decision names what is missing; the status shows how to continue.
            String reason = control.status().reason();
            throw reason.startsWith(rejection.getMessage()) ? new RejectedException(reason) : rejection;
        }
    }

    private void decide(CompletableFuture<Decision> request, PrintStream out) throws InterruptedException {
        new DecisionWait(control, out).print(request);
    }
}
