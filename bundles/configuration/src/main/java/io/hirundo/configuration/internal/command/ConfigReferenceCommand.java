package io.hirundo.configuration.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.lib.run.reference.ConfigurationReference;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;

/** Prints the reference of all settings. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=config reference")
@picocli.CommandLine.Command(
        name = "reference",
        description = "Prints all settings, and the options of every installed strategy, as Markdown.",
        footerHeading = "%nExamples:%n",
        footer = {"  hirundo config reference > docs/configuration.md"})
public final class ConfigReferenceCommand implements Command {
    private final StrategyCatalog catalog;

    @Activate
    public ConfigReferenceCommand(@Reference StrategyCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Integer call() {
        System.out.print(ConfigurationReference.of(catalog));
        return ExitCode.OK;
    }
}
