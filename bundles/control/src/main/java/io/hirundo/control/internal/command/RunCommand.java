package io.hirundo.control.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.PromptCommand;
import java.io.PrintStream;
import java.util.List;

/**
 * One of Hirundo's own commands.
 *
 * @param usage how it is typed; begins with its name
 * @param description what it does
 * @param action throws {@link MisunderstoodException} for invalid syntax, {@link RejectedException} if the run rejects it
 * @param completion candidates for the last of the words
 */
record RunCommand(String usage, String description, Action action, Completion completion) implements PromptCommand {
    /** Runs the command with the words after its name. */
    @FunctionalInterface
    interface Action {
        void run(List<String> words, PrintStream out) throws InterruptedException;
    }

    /** Candidates for the last word. */
    @FunctionalInterface
    interface Completion {
        List<String> of(List<String> words);
    }

    /** A command without words; needs no completion. */
    RunCommand(String name, String description, Action action) {
        this(name, description, (words, out) -> runAlone(name, action, words, out), _ -> List.of());
    }

    private static void runAlone(String name, Action action, List<String> words, PrintStream out)
            throws InterruptedException {
        requireNone(name, words);
        action.run(words, out);
    }

    static void requireNone(String command, List<String> words) {
        if (!words.isEmpty()) {
            throw new MisunderstoodException(command + " takes no arguments; type: " + command);
        }
    }

    @Override
    public String name() {
        return usage.split(" ", 2)[0];
    }

    @Override
    public int run(List<String> words, PrintStream out) throws InterruptedException {
        action.run(words, out);
        return ExitCode.OK;
    }

    @Override
    public List<String> complete(List<String> words) {
        return completion.of(words);
    }
}
