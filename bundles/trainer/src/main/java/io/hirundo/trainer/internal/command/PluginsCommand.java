package io.hirundo.trainer.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.trainer.internal.config.SettingRow;
import io.hirundo.trainer.internal.strategy.Offer;
import io.hirundo.trainer.internal.strategy.StrategyCatalog;
import java.io.PrintStream;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;

/** Lists the strategies that are there. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=plugins")
@picocli.CommandLine.Command(
    name = "plugins",
    description = "Lists every strategy that a configuration can choose: kind, name and the bundle it comes from.",
    footerHeading = "%nExamples:%n",
    footer = {"  hirundo plugins", "  hirundo plugins --options"})
public final class PluginsCommand implements Command {
  private final StrategyCatalog catalog;

  @Option(names = "--options", description = "Also lists the options of each, with their defaults.")
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
    List<Offer> offers = catalog.offers();
    String line = "%-" + width(offers.stream().map(Offer::kind).toList()) + "s  %-"
        + width(offers.stream().map(Offer::name).toList()) + "s  %s%n";
    for (Offer offer : offers) {
      out.printf(line, offer.kind(), offer.name(), offer.bundle());
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
      out.printf(line, row.path(), row.fallback(), row.description(), row.type().words());
    }
  }

  private static int width(List<String> words) {
    return Math.max(1, words.stream().mapToInt(String::length).max().orElse(0));
  }
}
