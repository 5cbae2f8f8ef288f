package io.hirundo.cli.internal;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.MappedFault;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns failures into one line for the user and an exit code for the shell. */
record Failures(PrintStream err) {
  private static final int LONGEST_LINE = 2_000;

  /** As many as there are of a configuration's mistakes in one message, and some. */
  private static final int MOST_LINES = 30;

  /** The command line does not make sense: says what, and where the help is. */
  int misunderstood(ParameterException failure, String... arguments) {
    CommandLine command = failure.getCommandLine();
    say(isUnknownCommand(failure)
        ? "there is no command '" + Excerpt.of(unmatched(failure)) + "'; there are " + command.getSubcommands().keySet()
        : inPlainWords(failure.getMessage()));
    UnmatchedArgumentException.printSuggestions(failure, command.getErr());
    command.getErr().println("See " + command.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.USAGE;
  }

  /** Without the names of Java's types. */
  private static String inPlainWords(String message) {
    return message
        .replaceFirst("is not an? (int|long|short|byte)$", "is not a whole number")
        .replaceFirst("is not a (double|float)$", "is not a number");
  }

  private static boolean isUnknownCommand(ParameterException failure) {
    return !failure.getCommandLine().getSubcommands().isEmpty() && !unmatched(failure).startsWith("-");
  }

  private static String unmatched(ParameterException failure) {
    return failure instanceof UnmatchedArgumentException unmatched ? unmatched.getUnmatched().getFirst() : "-";
  }

  /** A command failed: in a way that it foresaw, or by a defect. */
  int exitCode(Throwable failure) {
    if (failure instanceof HirundoException foreseen) {
      say(foreseen.getMessage());
      return foreseen.exitCode();
    }
    if (MappedFault.isOne(failure)) {
      // Readers name their file; this is for those of plugins that do not.
      say(MappedFault.explain() + "; copy it again");
      return ExitCode.DATA;
    }
    say("unexpected " + firstLine(failure) + " (" + keep(failure) + ")");
    return ExitCode.INTERNAL;
  }

  private void say(String message) {
    err.println("hirundo: " + bounded(String.valueOf(message)));
  }

  /**
   * Whatever a message repeats of a file or of the command line, it stays readable and sends no escape sequences to the terminal.
   * Messages shorten what they quote themselves; this is for those that do not.
   */
  private static String bounded(String message) {
    List<String> lines = message.lines().toList();
    String shown = lines.stream().limit(MOST_LINES).map(line -> Excerpt.of(line, LONGEST_LINE)).collect(Collectors.joining("\n"));
    return lines.size() <= MOST_LINES ? shown : shown + "\n  ... and " + (lines.size() - MOST_LINES) + " more lines";
  }

  private static String firstLine(Throwable failure) {
    return failure.toString().lines().findFirst().orElse("");
  }

  /** Writes the stack trace where it outlives the process; says where that is. */
  private static String keep(Throwable failure) {
    try {
      Path file = Files.createTempFile("hirundo-error-", ".txt");
      try (PrintWriter writer = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
        failure.printStackTrace(writer);
      }
      return "a defect; the stack trace is in " + file;
    } catch (IOException e) {
      return "a defect; its stack trace could not be written: " + e.getMessage();
    }
  }
}
