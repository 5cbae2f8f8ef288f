package io.hirundo.trainer.internal.steer;

import io.hirundo.lib.configuration.binding.RecordType;
import io.hirundo.lib.configuration.binding.RecordType.Component;
import io.hirundo.lib.configuration.binding.Spelling;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.lib.configuration.binding.ValueType;
import io.hirundo.lib.configuration.document.JsonText;
import io.hirundo.lib.run.config.ChangeableSettings;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.strategy.Choice;
import io.hirundo.train.RunSetting;
import io.hirundo.train.RunSetting.Alternative;
import java.util.ArrayList;
import java.util.List;

/** The settings that may change during a run, with their alternatives. */
public final class RunSettings {
    private final StrategyCatalog catalog;
    private final List<RunSetting> settings = new ArrayList<>();

    private RunSettings(StrategyCatalog catalog) {
        this.catalog = catalog;
    }

    /** The settings of this configuration; alternatives are the installed strategies. */
    public static List<RunSetting> of(RunConfiguration configuration, StrategyCatalog catalog) {
        var settings = new RunSettings(catalog);
        settings.addAll(configuration, "");
        return settings.settings;
    }

    private void addAll(Record record, String prefix) {
        for (Component component : RecordType.of(record.getClass()).components()) {
            String path = prefix + component.name();
            Object value = component.of(record);
            if (component.type() instanceof ValueType.Nested && value instanceof Record section) {
                addAll(section, path + ".");
            } else if (ChangeableSettings.part(path).isPresent()) {
                add(path, component.type(), value);
            }
        }
    }

    private void add(String path, ValueType type, Object value) {
        if (value instanceof Choice choice) {
            settings.add(new RunSetting(path, choice.name(), alternatives(type)));
            choice.options()
                    .forEach((option, its) -> settings.add(
                            new RunSetting(path + ".options." + option, JsonText.compact(its), List.of())));
        } else {
            settings.add(new RunSetting(
                    path, JsonText.compact(value == null ? null : Trees.value(value)), alternatives(type)));
        }
    }

    private List<Alternative> alternatives(ValueType type) {
        return switch (type) {
            case ValueType.Strategy strategy ->
                catalog.offers().stream()
                        .filter(offer -> offer.factory().contract() == strategy.contract())
                        .filter(catalog::serves)
                        .map(RunSettings::alternative)
                        .toList();
            case ValueType.Truth _ -> constants(List.of("true", "false"));
            case ValueType.Text text -> constants(text.allowed());
            case ValueType.Constant constant -> constants(Spelling.all(constant.type()));
            default -> List.of();
        };
    }

    private static Alternative alternative(Offer offer) {
        return new Alternative(
                offer.name(), RecordType.of(offer.factory().optionsType()).names());
    }

    private static List<Alternative> constants(List<String> values) {
        return values.stream().map(value -> new Alternative(value, List.of())).toList();
    }
}
