package io.hirundo.cli.internal;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hirundo} itself. */
@Command(
        name = "hirundo",
        description = "Trains large language models.",
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo quickstart                  train a small model, no download needed",
            "  hirundo train CONFIG                train with a configuration file",
            "  hirundo generate --model runs/NAME/model --prompt 'Once upon a time'",
            "  hirundo COMMAND --help              help of a command, with examples"
        })
final class RootCommand extends CommandGroup {
    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = {
                "The set of bundles to start, one of ${sys:hirundo.profiles:-those of the distro}. Default: ${sys:hirundo.profile:-cpu}. "
                        + "Comes before the command."
            })
    @SuppressWarnings("UnusedVariable") // for the help: the launcher has taken it off the command line
    private String profile;
}
