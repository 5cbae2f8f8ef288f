package io.hirundo.lib.run.reference;

import io.hirundo.lib.configuration.binding.RecordType;
import io.hirundo.lib.configuration.binding.RecordType.Component;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.lib.configuration.binding.ValueType;
import io.hirundo.lib.configuration.document.JsonText;
import java.util.ArrayList;
import java.util.List;

/**
 * A setting as help shows it.
 *
 * @param path as in {@code training.steps}; {@code []} for every element of a list, {@code NAME} for every key of an object
 * @param type what is allowed
 * @param fallback the default as JSON; "required" or "none" where there is no default
 * @param description one line
 */
public record SettingRow(String path, ValueType type, String fallback, String description) {
    /** The settings of a record and of the records in it, in order. */
    public static List<SettingRow> of(Class<? extends Record> type) {
        List<SettingRow> rows = new ArrayList<>();
        add(type, RecordType.of(type).defaults(), "", rows);
        return rows;
    }

    private static void add(Class<? extends Record> type, Record defaults, String prefix, List<SettingRow> rows) {
        RecordType<?> record = RecordType.of(type);
        for (Component component : record.components()) {
            Object fallback = component.of(defaults);
            String path = prefix + component.name();
            if (component.type() instanceof ValueType.Nested nested && fallback != null) {
                add(nested.type(), (Record) fallback, path + ".", rows);
                continue;
            }
            String shown = record.demands(component, defaults)
                    ? "required"
                    : fallback == null ? "none" : JsonText.compact(Trees.value(fallback));
            rows.add(new SettingRow(path, component.type(), shown, component.description()));
            addElements(component.type(), path, rows);
        }
    }

    /** The settings of records in lists and objects, and of records that are null by default. */
    private static void addElements(ValueType type, String path, List<SettingRow> rows) {
        switch (type) {
            case ValueType.ListOf list -> addElements(list.element(), path + "[]", rows);
            case ValueType.MapOf map -> addElements(map.element(), path + ".NAME", rows);
            case ValueType.Nested nested ->
                add(nested.type(), RecordType.of(nested.type()).defaults(), path + ".", rows);
            default -> {
                // Nothing below.
            }
        }
    }
}
