package io.hirundo.lib.run.config;

import io.hirundo.lib.configuration.binding.RecordType;
import io.hirundo.lib.configuration.binding.RecordType.Component;
import io.hirundo.lib.configuration.binding.ValueType;
import io.hirundo.strategy.Choice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A strategy that a configuration names. A component with {@code ChoiceOf} in {@link RunConfiguration} or one of its sections
 * declares a kind of strategy; resolution, leases and differences take them from here.
 *
 * @param path of the choice: {@code mesh.schedule}, {@code monitors[0]}, {@code evaluation.watched.NAME}
 * @param contract of the kind
 */
public record ConfiguredStrategy(String path, Class<?> contract, Choice choice) {
    /** All in the order of the configuration, without kinds for which it names none. */
    public static List<ConfiguredStrategy> of(RunConfiguration configuration) {
        var found = new ArrayList<ConfiguredStrategy>();
        addAll(configuration, "", found);
        return List.copyOf(found);
    }

    /** Those of a section. {@code name}: the section's, with which their paths begin. */
    public static List<ConfiguredStrategy> of(String name, Record section) {
        var found = new ArrayList<ConfiguredStrategy>();
        addAll(section, name + ".", found);
        return List.copyOf(found);
    }

    private static void addAll(Record record, String prefix, List<ConfiguredStrategy> found) {
        for (Component component : RecordType.of(record.getClass()).components()) {
            add(prefix + component.name(), component.type(), component.of(record), found);
        }
    }

    private static void add(String path, ValueType type, Object value, List<ConfiguredStrategy> found) {
        switch (type) {
            case ValueType.Strategy strategy
            when value instanceof Choice choice -> found.add(new ConfiguredStrategy(path, strategy.contract(), choice));
            case ValueType.Nested _ when value instanceof Record section -> addAll(section, path + ".", found);
            case ValueType.ListOf list
            when value instanceof List<?> elements -> {
                for (int index = 0; index < elements.size(); index++) {
                    add(path + "[" + index + "]", list.element(), elements.get(index), found);
                }
            }
            case ValueType.MapOf map
            when value instanceof Map<?, ?> entries ->
                entries.forEach((name, entry) -> add(path + "." + name, map.element(), entry, found));
            default -> {
                // A plain value.
            }
        }
    }
}
