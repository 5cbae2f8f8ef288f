package io.hirundo.lib.configuration.binding;

import io.hirundo.lib.configuration.document.Numbers;
import io.hirundo.strategy.Choice;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Binds single values of a document to their setting types. */
final class ValueBinder {
    private final RecordBinder records;
    private final ChoiceResolver resolver;
    private final Problems problems;

    ValueBinder(RecordBinder records, ChoiceResolver resolver, Problems problems) {
        this.records = records;
        this.resolver = resolver;
        this.problems = problems;
    }

    /**
     * Binds a value.
     *
     * @param fallback the default, used for records that are set in part; or null
     * @return null if there are errors
     */
    Object bind(ValueType type, Object value, Object fallback, String path) {
        return switch (type) {
            case ValueType.WholeNumber whole when value instanceof Number number -> whole(whole, number, path);
            case ValueType.Real real when value instanceof Number number -> real(real, number, path);
            case ValueType.Truth _ when value instanceof Boolean -> value;
            case ValueType.Text text when value instanceof String word -> text(text, word, path);
            case ValueType.Constant constant when value instanceof String word -> constant(constant, word, path);
            case ValueType.ListOf list when value instanceof List<?> elements -> list(list, elements, path);
            case ValueType.MapOf map when value instanceof Map<?, ?> entries -> map(map, entries, path);
            case ValueType.Nested nested -> records.bind(nested.type(), value, nestedDefaults(nested, fallback), path);
            case ValueType.Strategy strategy -> strategy(strategy, records.choice(value, path), path);
            case ValueType.Any _ -> value;
            default -> reject(path, value, type);
        };
    }

    /** Default values need no type check, but their choices must be resolved. */
    Object bindDefault(ValueType type, Object fallback, String path) {
        return switch (type) {
            case ValueType.Strategy _, ValueType.ListOf _, ValueType.MapOf _ ->
                bind(type, Trees.value(fallback), fallback, path);
            default -> fallback;
        };
    }

    private static Record nestedDefaults(ValueType.Nested nested, Object fallback) {
        return fallback == null ? RecordBinder.defaults(nested) : (Record) fallback;
    }

    private Object whole(ValueType.WholeNumber type, Number number, String path) {
        BigDecimal value = Numbers.exact(number);
        if (value == null || !Numbers.isWhole(value)) {
            return reject(path, number, value == null ? "is out of range" : "is not an integer", type.words());
        }
        boolean small = value.compareTo(type.least()) < 0;
        if (small || value.compareTo(type.most()) > 0) {
            boolean bounded = type.bounds().fault(value) != null;
            String allowed = bounded ? type.words() : "a whole number from " + type.least() + " to " + type.most();
            return reject(path, number, small ? "is too small" : "is too large", allowed);
        }
        // An if statement, because a conditional expression would promote int to long.
        if (type.type() == int.class) {
            return value.intValueExact();
        }
        return value.longValueExact();
    }

    private Object real(ValueType.Real type, Number number, String path) {
        BigDecimal value = Numbers.exact(number);
        boolean isFloat = type.type() == float.class;
        if (value == null || Double.isInfinite(isFloat ? value.floatValue() : value.doubleValue())) {
            return reject(path, number, "is out of range", type.words());
        }
        String fault = type.bounds().fault(value);
        if (fault != null) {
            return reject(path, number, fault, type.words());
        }
        if (isFloat) {
            return value.floatValue();
        }
        return value.doubleValue();
    }

    private Object text(ValueType.Text type, String word, String path) {
        // JSON can contain it, but no path, which is what most texts are.
        if (word.indexOf('\0') >= 0) {
            return reject(path, word, "has a NUL character", type.words());
        }
        return type.allowed().isEmpty() || type.allowed().contains(word)
                ? word
                : problem(path, Spelling.shown(word) + " is unknown; " + Suggestion.among(word, type.allowed()));
    }

    private Object constant(ValueType.Constant type, String word, String path) {
        for (Enum<?> constant : type.type().getEnumConstants()) {
            if (Spelling.of(constant).equals(word)) {
                return constant;
            }
        }
        return problem(
                path, Spelling.shown(word) + " is unknown; " + Suggestion.among(word, Spelling.all(type.type())));
    }

    private Object list(ValueType.ListOf type, List<?> elements, String path) {
        List<Object> bound = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            bound.add(bind(type.element(), elements.get(i), null, path + "[" + i + "]"));
        }
        return Collections.unmodifiableList(bound);
    }

    private Object map(ValueType.MapOf type, Map<?, ?> entries, String path) {
        Map<String, Object> bound = new LinkedHashMap<>();
        entries.forEach((key, value) ->
                bound.put(String.valueOf(key), bind(type.element(), value, null, RecordBinder.join(path, key))));
        return Collections.unmodifiableMap(bound);
    }

    private Choice strategy(ValueType.Strategy type, Choice choice, String path) {
        return choice == null || type.contract() == null
                ? choice
                : resolver.resolve(type.contract(), choice, path, problems);
    }

    Object reject(String path, Object value, ValueType type) {
        return reject(path, value, value == null ? "is not allowed" : "is " + Spelling.kind(value), type.words());
    }

    private Object reject(String path, Object value, String fault, String allowed) {
        return problem(path, Spelling.shown(value) + " " + fault + "; allowed: " + allowed);
    }

    private Object problem(String path, String message) {
        problems.add(path, message);
        return null;
    }
}
