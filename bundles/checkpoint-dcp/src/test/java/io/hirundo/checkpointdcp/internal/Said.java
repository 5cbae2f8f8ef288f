package io.hirundo.checkpointdcp.internal;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.command.Command;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** What a command prints, and how it ends. */
final class Said {
  final List<String> lines;
  private int exitCode;
  private RuntimeException failure;

  Said(Command command, Object... arguments) {
    new CommandLine(command).parseArgs(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    var bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      exitCode = command.call();
    } catch (RuntimeException e) {
      failure = e;
    } catch (Exception e) {
      throw new AssertionError(e);
    } finally {
      System.setOut(before);
    }
    lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** What it prints, in lines, however it ends. */
  static List<String> lines(Command command, Object... arguments) {
    return new Said(command, arguments).lines;
  }

  int exitCode() {
    if (failure != null) {
      throw failure;
    }
    return exitCode;
  }

  String message(Class<? extends RuntimeException> type) {
    return assertThrows(type, this::exitCode).getMessage();
  }
}
