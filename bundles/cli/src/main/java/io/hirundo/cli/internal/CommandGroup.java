package io.hirundo.cli.internal;

import io.hirundo.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A group of subcommands, such as {@code data} in {@code data tokenize}. Called alone, it prints its help. */
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
