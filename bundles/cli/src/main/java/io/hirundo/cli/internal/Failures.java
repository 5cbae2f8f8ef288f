package io.hirundo.cli.internal;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns failures into one line for the user and an exit code for the shell. */
record Failures(PrintStream err) {
  /** The command line does not make sense: says what, and where the help is. */
  int misunderstood(ParameterException failure, String... arguments) {
    CommandLine command = failure.getCommandLine();
    say(isUnknownCommand(failure)
        ? "there is no command '" + unmatched(failure) + "'; there are " + command.getSubcommands().keySet()
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
    say("unexpected " + firstLine(failure) + " (" + keep(failure) + ")");
    return ExitCode.INTERNAL;
  }

  private void say(String message) {
    err.println("hirundo: " + message);
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
