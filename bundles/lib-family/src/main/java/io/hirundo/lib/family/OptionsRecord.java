package io.hirundo.lib.family;

import io.hirundo.ConfigurationException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Converts options of an architecture between their record and the plain values of a {@link io.hirundo.strategy.Choice}. The trainer
 * checks bounds when it binds a choice; this class only checks types.
 */
public final class OptionsRecord {
    private OptionsRecord() {}

    /** All components, with values: numbers, strings, booleans, lists, maps and null. */
    public static Map<String, Object> values(Record options) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (RecordComponent component : options.getClass().getRecordComponents()) {
            values.put(component.getName(), plain(value(options, component)));
        }
        return values;
    }

    private static Object plain(Object value) {
        return switch (value) {
            case Record record -> values(record);
            case Enum<?> constant -> spelling(constant);
            case List<?> list -> list.stream().map(OptionsRecord::plain).toList();
            case null, default -> value;
        };
    }

    /**
     * The inverse of {@link #values}; missing components take the values of the record's no-argument constructor.
     *
     * @param where what the values are, to begin messages with
     * @throws ConfigurationException names the component that is unknown or of a wrong type
     */
    public static <T extends Record> T bind(Class<T> type, Map<?, ?> values, String where) {
        var fields = new Fields(values, where, ConfigurationException::new);
        RecordComponent[] components = type.getRecordComponents();
        List<String> names =
                Arrays.stream(components).map(RecordComponent::getName).toList();
        for (Object key : values.keySet()) {
            if (!names.contains(key)) {
                throw fields.wrong(
                        String.valueOf(key), "left out: it is none of the options " + String.join(", ", names));
            }
        }
        T defaults = construct(type, List.of(), List.of());
        var bound = new ArrayList<Object>();
        for (RecordComponent component : components) {
            String name = component.getName();
            Object fallback = value(defaults, component);
            bound.add(values.containsKey(name) ? bind(component.getType(), fields, name, fallback) : fallback);
        }
        return construct(
                type,
                Arrays.stream(components)
                        .<Class<?>>map(RecordComponent::getType)
                        .toList(),
                bound);
    }

    private static Object bind(Class<?> type, Fields fields, String name, Object fallback) {
        if (!fields.has(name)) {
            // A null of a number or a truth is a missing one.
            return type.isPrimitive() ? fallback : null;
        }
        if (type == int.class) {
            return fields.whole(name, Integer.MIN_VALUE, 0);
        } else if (type == double.class) {
            return fields.number(name, 0);
        } else if (type == boolean.class) {
            return fields.truth(name, false);
        } else if (type == String.class) {
            return fields.text(name, "");
        } else if (type == List.class && fields.get(name) instanceof List<?> list) {
            return List.copyOf(list);
        } else if (type.isEnum()) {
            return constant(type, fields, name);
        } else if (type.isRecord()) {
            Fields nested = fields.object(name);
            return bind(type.asSubclass(Record.class), nested.values(), nested.where());
        }
        throw fields.wrong(name, "of a type that options can have: " + type.getSimpleName() + " is none");
    }

    private static Object constant(Class<?> type, Fields fields, String name) {
        String text = fields.text(name, "");
        List<String> spellings = new ArrayList<>();
        for (Object constant : type.getEnumConstants()) {
            spellings.add(spelling((Enum<?>) constant));
            if (spellings.getLast().equals(text)) {
                return constant;
            }
        }
        throw fields.wrong(name, "one of " + String.join(", ", spellings));
    }

    private static String spelling(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Object value(Record record, RecordComponent component) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    private static <T extends Record> T construct(Class<T> type, List<Class<?>> types, List<Object> values) {
        try {
            var constructor = type.getDeclaredConstructor(types.toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(values.toArray());
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException rejection) {
                throw rejection;
            }
            throw new IllegalStateException("cannot make a " + type.getName(), e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make a " + type.getName(), e);
        }
    }
}
