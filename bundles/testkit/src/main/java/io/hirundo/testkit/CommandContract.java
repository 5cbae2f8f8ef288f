package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.command.Command;
import io.hirundo.testkit.bench.Clause;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

/** Contract tests for a {@link Command}. Needs picocli, as every command does. */
public interface CommandContract {
    /** The command under test; a new one on each call, because the component is prototype-scoped. */
    Command command();

    /** Valid command lines that end soon. */
    List<List<String>> workingArguments();

    /** Valid command lines that fail, for instance because a file is missing. */
    default List<List<String>> failingArguments() {
        return List.of();
    }

    @Clause(
            value = "The help describes the command and each option and parameter",
            remedy = "description of @Command, @Option and @Parameters: at least a few words each")
    default void helpSaysEverything() {
        var spec = new CommandLine(command()).getCommandSpec();
        assertFalse(spec.usageMessage().description().length == 0, "the command has no description");
        for (ArgSpec argument : spec.args()) {
            String words = String.join(" ", argument.description()).strip();
            assertTrue(argument.hidden() || words.length() > 3, argument.paramLabel() + " has no description");
        }
    }

    @Clause(value = "The command returns a documented exit code", remedy = "call(): one of io.hirundo.ExitCode")
    default void exitCodesAreKnown() throws Exception {
        for (List<String> arguments : workingArguments()) {
            int code = parsed(arguments).call();
            assertTrue(
                    exitCodes().contains(code),
                    arguments + " returned " + code + ", which is not one of " + exitCodes());
        }
    }

    @Clause(
            value =
                    "A failing command throws a HirundoException with a one-line message, or returns a failure exit code",
            remedy = "the program treats any other exception as a defect")
    default void reportsFailures() throws Exception {
        for (List<String> arguments : failingArguments()) {
            try {
                int code = parsed(arguments).call();
                assertTrue(code != ExitCode.OK && exitCodes().contains(code), arguments + " returned " + code);
            } catch (HirundoException e) {
                assertTrue(e.getMessage() != null && !e.getMessage().contains("\n"), "not one line: " + e.getMessage());
            }
        }
    }

    @Clause(
            value = "Two runs share no state: options of one run do not carry over to the next",
            remedy = "static fields, or a component that returns the same object each time")
    default void runsAreApart() {
        assertNotSame(command(), command());
        for (List<String> arguments : workingArguments()) {
            parsed(arguments);
            parsed(arguments);
        }
    }

    private Command parsed(List<String> arguments) {
        Command command = command();
        new CommandLine(command).parseArgs(arguments.toArray(String[]::new));
        return command;
    }

    private static Set<Integer> exitCodes() {
        var codes = new TreeSet<Integer>();
        for (Field field : ExitCode.class.getFields()) {
            try {
                codes.add(field.getInt(null));
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return codes;
    }
}
