package io.hirundo.lib.configuration.binding;

import io.hirundo.strategy.Setting;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The settings of a configuration record.
 *
 * @param type the record class, from any bundle; private members are accessed by reflection
 * @param components the settings, in order
 */
public record RecordType<T extends Record>(Class<T> type, List<Component> components) {
    /**
     * One setting.
     *
     * @param name component name
     * @param type type of the value
     * @param description one line
     * @param mustBeGiven whether the annotation makes the setting mandatory
     * @param nullable whether null is allowed even if it is not the default
     * @param accessor accessor method of the record
     */
    public record Component(
            String name, ValueType type, String description, boolean mustBeGiven, boolean nullable, Method accessor) {
        /** The component's value in the record; null if the record is null. */
        public Object of(Record record) {
            try {
                return record == null ? null : accessor.invoke(record);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("cannot read " + accessor, e);
            }
        }
    }

    public static <T extends Record> RecordType<T> of(Class<T> type) {
        return new RecordType<>(
                type,
                Arrays.stream(type.getRecordComponents())
                        .map(RecordType::component)
                        .toList());
    }

    private static Component component(RecordComponent component) {
        Setting setting = component.getAnnotation(Setting.class);
        component.getAccessor().setAccessible(true);
        return new Component(
                component.getName(),
                ValueType.of(component),
                setting == null ? "" : Spelling.sentence(setting.value()),
                setting != null && setting.required(),
                setting != null && setting.nullable(),
                component.getAccessor());
    }

    public List<String> names() {
        return components.stream().map(Component::name).toList();
    }

    /**
     * Whether a document must set a component.
     *
     * @param defaults the defaults in this context, or null; an enclosing record may define defaults for a nested record
     */
    public boolean demands(Component component, Record defaults) {
        Object own = component.of(defaults());
        return defaults == null || (component.mustBeGiven() && Objects.equals(component.of(defaults), own));
    }

    /** Whether a document may set a component to null. */
    public boolean mayBeNull(Component component, Record defaults) {
        return component.nullable() || (!demands(component, defaults) && component.of(defaults) == null);
    }

    /** The record that the no-argument constructor creates. Null if there is none; then all settings are mandatory. */
    public T defaults() {
        return hasDefaults() ? construct(new Class<?>[0]) : null;
    }

    private boolean hasDefaults() {
        return Arrays.stream(type.getDeclaredConstructors()).anyMatch(c -> c.getParameterCount() == 0);
    }

    /**
     * Creates a record.
     *
     * @throws RuntimeException the exception of the record's constructor
     */
    T make(Object[] values) {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        return construct(types, values);
    }

    private T construct(Class<?>[] types, Object... values) {
        try {
            Constructor<T> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
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
