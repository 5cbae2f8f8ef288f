package io.hirundo.cli.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** Prints a script that completes commands and options in a shell. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=completion")
@picocli.CommandLine.Command(
        name = "completion",
        description = {
            "Prints a script for tab completion of commands and options in a shell.",
            "It covers the commands of the installed bundles: print it again after adding some."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  source <(hirundo completion bash)",
            "  hirundo completion zsh > ~/.hirundo-completion && echo 'source ~/.hirundo-completion' >> ~/.zshrc"
        })
public final class CompletionCommand implements Command {
    private final BundleContext context;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private String shell;

    @Activate
    public CompletionCommand(BundleContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        try (CommandTree tree = new CommandTree(context)) {
            System.out.print(script(shell, tree.build()));
        }
        return ExitCode.OK;
    }

    /** One script serves both shells: in zsh it loads zsh's emulation of bash completion. */
    static String script(String shell, CommandLine root) {
        if (!shell.equals("bash") && !shell.equals("zsh")) {
            throw new ConfigurationException(
                    "SHELL: " + shell + " is wrong (allowed: bash, zsh); type: source <(hirundo completion bash)");
        }
        return AutoComplete.bash("hirundo", root);
    }
}
