package io.hirundo.lib.configuration.binding;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.configuration.binding.RecordType.Component;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.lib.input.Excerpt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One {@code path=value} assignment of {@code --set}.
 *
 * @param path keys and list indices from the root
 * @param text the value as typed
 */
record Assignment(List<String> path, String text) {
    static Assignment parse(String assignment) {
        int equals = assignment.indexOf('=');
        if (equals < 1) {
            throw new ConfigurationException(
                    "is not an assignment; allowed: path=value, training.steps=100 for instance");
        }
        String path = assignment.substring(0, equals).strip().replace("]", "");
        String[] keys = path.split("[.\\[]", -1);
        if (keys.length > Documents.MAX_LEVELS) {
            throw new ConfigurationException(
                    "the path has " + keys.length + " keys; allowed: up to " + Documents.MAX_LEVELS);
        }
        return new Assignment(List.of(keys), assignment.substring(equals + 1).strip());
    }

    /**
     * Returns a copy of a value with the assignment applied.
     *
     * @param type type of the value
     * @param current the value in the document; null if the document does not set it
     * @param fallback the default value, or null
     * @param depth number of path elements that lead to the value
     */
    Object into(ValueType type, Object current, Object fallback, int depth) {
        if (depth == path.size()) {
            if (type instanceof ValueType.Strategy) {
                requireNoNumber(choice(current, fallback));
            }
            return value(type);
        }
        return switch (type) {
            case ValueType.Nested nested -> intoRecord(nested, current, fallback, depth);
            case ValueType.Strategy _ ->
                intoRecord(new ValueType.Nested(ChoiceObject.class), choice(current, fallback), null, depth);
            case ValueType.ListOf list ->
                intoList(list.element(), current == null ? Trees.value(fallback) : current, depth);
            case ValueType.MapOf map ->
                intoMap(map.element(), current == null ? Trees.value(fallback) : current, depth);
            case ValueType.Any _ when current instanceof List<?> -> intoList(type, current, depth);
            case ValueType.Any _ -> intoMap(type, current, depth);
            default ->
                throw new ConfigurationException("there is nothing below " + at(depth) + ", which is " + type.words());
        };
    }

    private Object intoRecord(ValueType.Nested type, Object current, Object fallback, int depth) {
        String key = path.get(depth);
        RecordType<?> record = RecordType.of(type.type());
        Component component = record.components().stream()
                .filter(c -> c.name().equals(key))
                .findFirst()
                .orElseThrow(() -> new ConfigurationException(
                        "there is no " + at(depth + 1) + "; " + Suggestion.among(key, record.names())));
        Record defaults = fallback instanceof Record given ? given : record.defaults();
        Map<String, Object> copy = object(current, depth);
        copy.put(key, into(component.type(), copy.get(key), component.of(defaults), depth + 1));
        return copy;
    }

    /** Allows options to be set if the choice has its default, or if the document gives only its name. */
    private static Object choice(Object current, Object fallback) {
        Object choice = current == null ? Trees.value(fallback) : current;
        return choice instanceof String name ? Map.of("name", name) : choice;
    }

    /** Rejects a number for a strategy with numeric options, because the user probably means one of the options. */
    private void requireNoNumber(Object choice) {
        if (!(parsed() instanceof Number)
                || !(choice instanceof Map<?, ?> object)
                || !(object.get("options") instanceof Map<?, ?> options)) {
            return;
        }
        String numbers = options.entrySet().stream()
                .filter(option -> option.getValue() instanceof Number)
                .map(option -> at(path.size()) + ".options." + option.getKey())
                .collect(Collectors.joining(", "));
        if (!numbers.isEmpty()) {
            throw new ConfigurationException(at(path.size()) + " is a strategy, now " + object.get("name")
                    + ", not a number; its numbers are set one by one: " + numbers);
        }
    }

    private Object intoMap(ValueType element, Object current, int depth) {
        Map<String, Object> copy = object(current, depth);
        String key = path.get(depth);
        copy.put(key, into(element, copy.get(key), null, depth + 1));
        return copy;
    }

    private Object intoList(ValueType element, Object current, int depth) {
        if (!(current instanceof List<?> list)) {
            throw new ConfigurationException(at(depth) + " is not a list");
        }
        List<Object> copy = new ArrayList<>(list);
        String key = path.get(depth);
        int index = key.matches("\\d{1,6}") ? Integer.parseInt(key) : copy.size();
        if (index >= copy.size()) {
            throw new ConfigurationException("there is no " + at(depth + 1) + "; " + at(depth) + " has " + copy.size()
                    + " elements, counted from 0");
        }
        copy.set(index, into(element, copy.get(index), null, depth + 1));
        return copy;
    }

    private Map<String, Object> object(Object current, int depth) {
        if (current != null && !(current instanceof Map<?, ?>)) {
            throw new ConfigurationException(
                    at(depth) + " is " + Spelling.kind(current) + " in the document, not an object");
        }
        Map<String, Object> copy = new LinkedHashMap<>();
        if (current instanceof Map<?, ?> entries) {
            entries.forEach((key, value) -> copy.put(String.valueOf(key), value));
        }
        return copy;
    }

    private String at(int depth) {
        return depth == 0
                ? "the document"
                : path.stream().limit(depth).map(Excerpt::of).collect(Collectors.joining("."));
    }

    private Object value(ValueType type) {
        Object parsed = parsed();
        boolean wantsText = type instanceof ValueType.Text
                || type instanceof ValueType.Constant
                || type instanceof ValueType.Strategy;
        // A run may be named 2024. Users should not need two levels of quotes on a command line.
        return wantsText && (parsed instanceof Number || parsed instanceof Boolean) ? text : parsed;
    }

    private Object parsed() {
        if (text.isEmpty()) {
            return text;
        }
        boolean isFlow = text.startsWith("[") || text.startsWith("{");
        try {
            return Documents.value("value", text, isFlow);
        } catch (ConfigurationException e) {
            if (isFlow) {
                throw e;
            }
            return text;
        }
    }
}
