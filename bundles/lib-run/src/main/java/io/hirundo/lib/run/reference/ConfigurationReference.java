package io.hirundo.lib.run.reference;

import io.hirundo.lib.configuration.binding.RecordType;
import io.hirundo.lib.configuration.binding.RecordType.Component;
import io.hirundo.lib.configuration.binding.ValueType;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The reference of all settings as Markdown, from the records and the installed strategies. */
public final class ConfigurationReference {
    private static final String HEAD = """
      # Configuration

      A configuration is a YAML or JSON file, for instance the `config.json` of a run directory. Settings that it leaves out have
      the default that this page states. The trainer rejects unknown keys, wrong types and values out of bounds before it opens a device.
      `--set training.steps=100` sets a single value, `--set monitors.0=console` one element of a list.

      Device, optimizer, data and other strategies are chosen as `{name: NAME, options: {...}}`, or as `NAME` alone, from the
      installed bundles. The strategies are listed below with their options.

      `./hirundo config reference` writes this page.

      ## What is checked when

      The trainer rejects what the configuration alone decides before it opens a device. The earlier a check runs, the more
      commands run it.

      | When | Checked | By |
      | --- | --- | --- |
      | the file is read | a regular file of at most 3 MiB, UTF-8, JSON or YAML; at most 100 levels and 100,000 values | all |
      | it is bound | names, types and bounds of settings and of strategies' options; batches, axes and sizes together | all |
      | strategies are made | options that only the strategy can judge; a schedule's CSV file; the description in `model.from` | `config show --check`, `plan`, `train` |
      | the layout is checked | model, mesh, stages, batches, schedule and precision together; FLOPs and parameters that can be counted; learning rates; whether the trained model can be written | `config show --check`, `plan`, `train` |
      | the run directory is locked | another process, an older run, the tokenizer's file and its vocabulary | `train` |
      | data is opened | datasets, their number of samples and their vocabulary | `train` |
      | devices are opened | GPUs, memory, types that a device can compute, ranks in other processes | `train`; memory also `plan` |
      | before the first step | weights in `model.from`, the checkpoint of `--resume`, its store | `train` |

      Size limits reject typing mistakes: they are at least five times the sizes of the largest published runs.
      """;

    private static final String TABLE = "\n| Setting | Allowed | Default | Meaning |\n| --- | --- | --- | --- |\n";

    private final StrategyCatalog catalog;
    private final StringBuilder page = new StringBuilder(HEAD);

    private ConfigurationReference(StrategyCatalog catalog) {
        this.catalog = catalog;
    }

    /** The page. */
    public static String of(StrategyCatalog catalog) {
        ConfigurationReference reference = new ConfigurationReference(catalog);
        reference.settings();
        reference.strategies();
        return reference.page.toString();
    }

    private void settings() {
        List<SettingRow> rows = SettingRow.of(RunConfiguration.class);
        page.append("\n## General\n");
        table(rows.stream().filter(row -> !isSection(row.path())).toList());
        for (Component section : RecordType.of(RunConfiguration.class).components()) {
            if (section.type() instanceof ValueType.Nested) {
                page.append("\n## ")
                        .append(section.name())
                        .append("\n\n")
                        .append(section.description())
                        .append(".\n");
                table(rows.stream()
                        .filter(row -> row.path().startsWith(section.name() + "."))
                        .toList());
            }
        }
    }

    private static boolean isSection(String path) {
        return path.contains(".");
    }

    private void strategies() {
        Map<String, List<Offer>> byKind = catalog.offers().stream()
                .collect(Collectors.groupingBy(Offer::kind, TreeMap::new, Collectors.toList()));
        byKind.forEach((kind, offers) -> {
            page.append("\n## Strategies: ").append(kind).append('\n');
            offers.forEach(this::strategy);
        });
    }

    private void strategy(Offer offer) {
        // Without the version, so that a release does not change the page.
        String bundle = offer.bundle().split(" ", 2)[0];
        page.append("\n### ")
                .append(kindAndName(offer))
                .append("\n\nOf the bundle `")
                .append(bundle)
                .append("`.");
        List<SettingRow> rows = SettingRow.of(offer.factory().optionsType());
        page.append(rows.isEmpty() ? " No options.\n" : "\n");
        table(rows);
    }

    private static String kindAndName(Offer offer) {
        return offer.kind() + " `" + offer.name() + "`";
    }

    private void table(List<SettingRow> rows) {
        if (rows.isEmpty()) {
            return;
        }
        page.append(TABLE);
        for (SettingRow row : rows) {
            boolean isWord = row.fallback().equals("required") || row.fallback().equals("none");
            String fallback = isWord ? row.fallback() : "`" + row.fallback() + "`";
            page.append("| ").append(cell("`" + row.path() + "`")).append(" | ").append(cell(allowed(row.type())));
            page.append(" | ")
                    .append(cell(fallback))
                    .append(" | ")
                    .append(cell(row.description()))
                    .append(" |\n");
        }
    }

    private String allowed(ValueType type) {
        return switch (type) {
            case ValueType.Strategy strategy when strategy.contract() != null -> names(strategy.contract());
            case ValueType.ListOf(ValueType.Strategy strategy)
            when strategy.contract() != null -> "a list of " + names(strategy.contract());
            case ValueType.MapOf(ValueType.Strategy strategy)
            when strategy.contract() != null -> "by name: " + names(strategy.contract());
            default -> type.words();
        };
    }

    private String names(Class<?> contract) {
        List<Offer> offers = catalog.offers().stream()
                .filter(o -> o.factory().contract() == contract)
                .toList();
        return offers.isEmpty()
                ? "no installed bundle offers one"
                : offers.getFirst().kind() + ": "
                        + offers.stream().map(o -> "`" + o.name() + "`").collect(Collectors.joining(", "));
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
