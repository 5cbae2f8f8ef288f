package io.hirundo.cli.internal;

import io.hirundo.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The first words of longer commands, {@code data} of {@code data tokenize}: called alone, it shows what there is. */
@Command(synopsisSubcommandLabel = "COMMAND")
class CommandGroup implements Callable<Integer> {
  @Spec
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(System.err);
    return ExitCode.USAGE;
  }
}
