package io.hirundo.lib.configuration.binding;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.lib.configuration.binding.RecordType.Component;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.strategy.Choice;
import java.util.List;
import java.util.Map;

/**
 * Binds plain values to records. Missing settings take the values of the record's no-argument constructor. The binder does not convert
 * types: text is not a number, and a number is not text.
 */
public final class RecordBinder {
    private final ValueBinder values;
    private final Problems problems;

    /**
     * Creates a binder for one document.
     *
     * @param resolver resolves strategy choices whose contract is known
     * @param problems receives all errors
     */
    public RecordBinder(ChoiceResolver resolver, Problems problems) {
        this.problems = problems;
        values = new ValueBinder(this, resolver, problems);
    }

    /**
     * Binds a record.
     *
     * @param value an object of the document
     * @param path path of the object
     * @return null if there are errors
     */
    public <T extends Record> T bind(Class<T> type, Object value, String path) {
        return bind(type, value, RecordType.of(type).defaults(), path);
    }

    /** As {@link #bind(Class, Object, String)}, with other defaults; null for none. */
    <T extends Record> T bind(Class<T> type, Object value, Record defaults, String path) {
        RecordType<T> record = RecordType.of(type);
        if (!(value instanceof Map<?, ?> given)) {
            values.reject(path, value, new ValueType.Nested(type));
            return null;
        }
        int before = problems.count();
        for (Object key : given.keySet()) {
            if (!record.names().contains(key)) {
                problems.add(join(path, key), "unknown key; " + Suggestion.among(String.valueOf(key), record.names()));
            }
        }
        List<Component> components = record.components();
        Object[] bound = new Object[components.size()];
        for (int i = 0; i < bound.length; i++) {
            bound[i] = component(record, components.get(i), given, defaults, path);
        }
        return problems.count() > before ? null : make(record, bound, path);
    }

    private Object component(RecordType<?> record, Component component, Map<?, ?> given, Record defaults, String path) {
        String at = join(path, component.name());
        Object fallback = component.of(defaults);
        boolean nullable = record.mayBeNull(component, defaults);
        if (given.containsKey(component.name())) {
            Object value = given.get(component.name());
            return value == null && nullable ? null : values.bind(component.type(), value, fallback, at);
        }
        if (nullable && fallback == null) {
            return null;
        }
        if (component.type() instanceof ValueType.Nested nested) {
            return bind(nested.type(), Map.of(), fallback == null ? defaults(nested) : (Record) fallback, at);
        }
        if (record.demands(component, defaults)) {
            problems.add(
                    at,
                    "missing: " + component.description() + "; allowed: "
                            + component.type().words());
            return null;
        }
        return values.bindDefault(component.type(), fallback, at);
    }

    static Record defaults(ValueType.Nested nested) {
        return RecordType.of(nested.type()).defaults();
    }

    private <T extends Record> T make(RecordType<T> record, Object[] bound, String path) {
        try {
            return record.make(bound);
        } catch (IllegalArgumentException | ConfigurationException e) {
            problems.add(path, Reason.of(e));
            return null;
        }
    }

    /** Joins a path for messages; long keys are shortened. */
    static String join(String path, Object key) {
        String shown = Excerpt.of(String.valueOf(key));
        return path.isEmpty() ? shown : path + "." + shown;
    }

    /** Returns the choice that a name or an object of the document makes. Adds a problem and returns null if it is invalid. */
    Choice choice(Object value, String path) {
        if (value instanceof String name && !name.isBlank()) {
            return Choice.of(name);
        }
        ChoiceObject object = bindChoiceObject(value, path);
        return object == null ? null : new Choice(object.name(), object.options());
    }

    private ChoiceObject bindChoiceObject(Object value, String path) {
        if (value instanceof Map<?, ?>) {
            return bind(ChoiceObject.class, value, path);
        }
        values.reject(path, value, new ValueType.Strategy(null));
        return null;
    }
}
