package io.hirundo.control.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.PromptCommand;
import java.io.PrintStream;
import java.util.List;

/** Lists the commands. */
record HelpCommand(CommandTable commands) implements PromptCommand {
    private static final int USAGE_WIDTH = 28;

    @Override
    public String name() {
        return "help";
    }

    @Override
    public String usage() {
        return "help";
    }

    @Override
    public String description() {
        return "lists the commands";
    }

    @Override
    public int run(List<String> words, PrintStream out) {
        RunCommand.requireNone(name(), words);
        commands.all().forEach(command -> print(command.usage(), command.description(), out));
        print("exit", "leaves this prompt; the run continues", out);
        return ExitCode.OK;
    }

    private static void print(String usage, String description, PrintStream out) {
        String head = usage;
        for (String line : description.lines().toList()) {
            out.println(head + " ".repeat(Math.max(1, USAGE_WIDTH - head.length())) + line);
            head = "";
        }
    }
}
