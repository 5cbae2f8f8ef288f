package io.hirundo.cli.internal;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.MappedFault;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns failures into one line for the user and an exit code for the shell. */
record Failures(PrintStream err) {
    private static final int LONGEST_LINE = 2_000;

    /** One line more than a configuration error has mistakes at most. */
    private static final int MOST_LINES = 30;

    /** Prints why the command line is invalid, and which help to read. */
    int misunderstood(ParameterException failure, String... arguments) {
        CommandLine command = failure.getCommandLine();
        say(
                isUnknownCommand(failure)
                        ? "there is no command '" + Excerpt.of(unmatched(failure)) + "'; there are "
                                + command.getSubcommands().keySet()
                        : inPlainWords(failure.getMessage()));
        UnmatchedArgumentException.printSuggestions(failure, command.getErr());
        command.getErr().println("See " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    /** Replaces the names of Java types in picocli's messages. */
    private static String inPlainWords(String message) {
        return message.replaceFirst("is not an? (int|long|short|byte)$", "is not an integer")
                .replaceFirst("is not a (double|float)$", "is not a number");
    }

    private static boolean isUnknownCommand(ParameterException failure) {
        return !failure.getCommandLine().getSubcommands().isEmpty()
                && !unmatched(failure).startsWith("-");
    }

    private static String unmatched(ParameterException failure) {
        return failure instanceof UnmatchedArgumentException unmatched
                ? unmatched.getUnmatched().getFirst()
                : "-";
    }

    /** Prints a command's failure, expected or a defect, and returns its exit code. */
    int exitCode(Throwable failure) {
        if (failure instanceof HirundoException foreseen) {
            say(foreseen.getMessage());
            return foreseen.exitCode();
        }
        if (MappedFault.isOne(failure)) {
            // Readers that name their file never get here; plugins may.
            say(MappedFault.explain() + "; copy it again");
            return ExitCode.DATA;
        }
        say("unexpected " + firstLine(failure) + " (" + keep(failure) + ")");
        return ExitCode.INTERNAL;
    }

    private void say(String message) {
        err.println("hirundo: " + bounded(String.valueOf(message)));
    }

    /** A line break that is not ours: further lines of Hirundo's messages are indented. A file's name may hold one. */
    private static final Pattern FOREIGN_BREAK = Pattern.compile("\\R(?!  )");

    /**
     * Shortens a message and removes escape sequences, because it may quote a file or the command line. Hirundo's own messages
     * shorten what they quote; this guards against others.
     */
    private static String bounded(String message) {
        List<String> lines = FOREIGN_BREAK
                .matcher(message.strip())
                .replaceAll("\\\\n")
                .lines()
                .toList();
        String shown = lines.stream()
                .limit(MOST_LINES)
                .map(line -> Excerpt.of(line, LONGEST_LINE))
                .collect(Collectors.joining("\n"));
        return lines.size() <= MOST_LINES
                ? shown
                : shown + "\n  ... and " + (lines.size() - MOST_LINES) + " more lines";
    }

    private static String firstLine(Throwable failure) {
        return failure.toString().lines().findFirst().orElse("");
    }

    /** Writes the stack trace to a file and returns where. */
    private static String keep(Throwable failure) {
        try {
            Path file = Files.createTempFile("hirundo-error-", ".txt");
            try (PrintWriter writer = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
                failure.printStackTrace(writer);
            }
            return "this is a defect; the stack trace is in " + file;
        } catch (IOException e) {
            return "this is a defect; its stack trace cannot be written: " + Reason.of(e);
        }
    }
}
