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

/** What the program asks of a {@link Command}. Needs picocli, as every command does. */
public interface CommandContract {
  /** The command under test, a new one each time, as the component is of prototype scope. */
  Command command();

  /** Command lines that work, and that end soon. */
  List<List<String>> workingArguments();

  /** Command lines that are understood and cannot be served: a file that is not there, for instance. */
  default List<List<String>> failingArguments() {
    return List.of();
  }

  @Clause(value = "Its help says what it does, and what each option and parameter is for",
      remedy = "description of @Command, @Option and @Parameters, each of at least a few words")
  default void helpSaysEverything() {
    var spec = new CommandLine(command()).getCommandSpec();
    assertFalse(spec.usageMessage().description().length == 0, "the command has no description");
    for (ArgSpec argument : spec.args()) {
      String words = String.join(" ", argument.description()).strip();
      assertTrue(argument.hidden() || words.length() > 3, argument.paramLabel() + " has no description");
    }
  }

  @Clause(value = "It returns an exit code that the program documents", remedy = "call(): one of io.hirundo.ExitCode")
  default void exitCodesAreKnown() throws Exception {
    for (List<String> arguments : workingArguments()) {
      int code = parsed(arguments).call();
      assertTrue(exitCodes().contains(code), arguments + " gave " + code + ", which is none of " + exitCodes());
    }
  }

  @Clause(value = "What cannot be served is a HirundoException with one clear line, or an exit code that says so",
      remedy = "other exceptions count as defects of the program")
  default void failuresAreTold() throws Exception {
    for (List<String> arguments : failingArguments()) {
      try {
        int code = parsed(arguments).call();
        assertTrue(code != ExitCode.OK && exitCodes().contains(code), arguments + " gave " + code);
      } catch (HirundoException e) {
        assertTrue(e.getMessage() != null && !e.getMessage().contains("\n"), "not one line: " + e.getMessage());
      }
    }
  }

  @Clause(value = "Two runs have nothing in common: options of one are not those of the next",
      remedy = "static fields, or the same object from the component each time")
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
