package io.hirundo.configuration.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.lib.configuration.document.JsonText;
import io.hirundo.lib.run.reference.ConfigurationSchema;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;

/** Prints the JSON schema of configurations. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=config schema")
@picocli.CommandLine.Command(
        name = "schema",
        description = {
            "Prints the JSON schema of configurations, with the options of every installed strategy.",
            "Editors use it to complete and check configurations."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo config schema > hirundo.schema.json",
            "  # in the first line of a YAML file, for editors with a YAML language server:",
            "  # yaml-language-server: $schema=hirundo.schema.json"
        })
public final class ConfigSchemaCommand implements Command {
    private final StrategyCatalog catalog;

    @Activate
    public ConfigSchemaCommand(@Reference StrategyCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Integer call() {
        System.out.print(JsonText.pretty(ConfigurationSchema.of(catalog)));
        return ExitCode.OK;
    }
}
