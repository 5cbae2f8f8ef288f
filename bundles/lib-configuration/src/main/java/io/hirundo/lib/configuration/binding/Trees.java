package io.hirundo.lib.configuration.binding;

import io.hirundo.lib.configuration.binding.RecordType.Component;
import io.hirundo.strategy.Choice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts records to plain values, the inverse of {@link RecordBinder}. */
public final class Trees {
    private Trees() {}

    /** The settings of a record in order. Null values of settings that are not nullable are left out. */
    public static Map<String, Object> of(Record record) {
        Map<String, Object> tree = new LinkedHashMap<>();
        for (Component component : RecordType.of(record.getClass()).components()) {
            Object value = component.of(record);
            if (value != null || component.nullable()) {
                tree.put(component.name(), value(value));
            }
        }
        return tree;
    }

    /** The plain value of any setting. */
    public static Object value(Object value) {
        return switch (value) {
            case Choice choice when choice.options().isEmpty() -> choice.name();
            case Choice choice -> {
                Map<String, Object> tree = new LinkedHashMap<>();
                tree.put("name", choice.name());
                tree.put("options", value(choice.options()));
                yield tree;
            }
            case Record record -> of(record);
            case Enum<?> constant -> Spelling.of(constant);
            case List<?> list -> list.stream().map(Trees::value).toList();
            case Map<?, ?> map -> {
                Map<String, Object> tree = new LinkedHashMap<>();
                map.forEach((key, element) -> tree.put(String.valueOf(key), value(element)));
                yield tree;
            }
            case null, default -> value;
        };
    }
}
