package io.hirundo.configuration.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.lib.run.reference.SettingRow;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;

/** Lists the installed strategies, and which of them are hidden by another one. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=plugins")
@picocli.CommandLine.Command(
        name = "plugins",
        description = {
            "Lists every strategy that a configuration can choose: kind, name and the bundle it comes from.",
            "A strategy is marked as hidden if another bundle offers the same name with a higher ranking."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  hirundo plugins", "  hirundo plugins --options"})
public final class PluginsCommand implements Command {
    private final StrategyCatalog catalog;

    @Option(names = "--options", description = "Also lists the options of each strategy with their defaults.")
    private boolean options;

    @Activate
    public PluginsCommand(@Reference StrategyCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Integer call() {
        return list(System.out);
    }

    int list(PrintStream out) {
        Map<Offer, Offer> hidden = catalog.hidden();
        // A stable sort: hidden strategies follow the one that serves the name.
        List<Offer> offers = Stream.concat(catalog.offers().stream(), hidden.keySet().stream())
                .sorted(Comparator.comparing(Offer::kind).thenComparing(Offer::name))
                .toList();
        String line = "%-" + width(offers.stream().map(Offer::kind).toList()) + "s  %-"
                + width(offers.stream().map(Offer::name).toList()) + "s  %s%s%n";
        for (Offer offer : offers) {
            Offer by = hidden.get(offer);
            out.printf(
                    line,
                    offer.kind(),
                    offer.name(),
                    offer.bundle(),
                    by == null
                            ? ""
                            : "  (hidden by " + by.bundle() + ": give it another name, or a higher service.ranking)");
            if (options) {
                listOptions(offer, out);
            }
        }
        return ExitCode.OK;
    }

    private static void listOptions(Offer offer, PrintStream out) {
        List<SettingRow> rows = SettingRow.of(offer.factory().optionsType());
        String line = "    %-" + width(rows.stream().map(SettingRow::path).toList()) + "s  %-"
                + width(rows.stream().map(SettingRow::fallback).toList()) + "s  %s (%s)%n";
        for (SettingRow row : rows) {
            out.printf(
                    line,
                    row.path(),
                    row.fallback(),
                    row.description(),
                    row.type().words());
        }
    }

    private static int width(List<String> words) {
        return Math.max(1, words.stream().mapToInt(String::length).max().orElse(0));
    }
}
