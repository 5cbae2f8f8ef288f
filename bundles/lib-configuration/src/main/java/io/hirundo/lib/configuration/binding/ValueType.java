package io.hirundo.lib.configuration.binding;

import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

/** The type of a setting: the Java type of a record component with its bounds. */
public sealed interface ValueType {
    /** int or long. */
    record WholeNumber(Class<?> type, Bounds bounds) implements ValueType {
        /** The minimum, from the setting's bounds and the Java type. */
        public BigDecimal least() {
            BigDecimal type = BigDecimal.valueOf(type() == int.class ? Integer.MIN_VALUE : Long.MIN_VALUE);
            boolean bounded = bounds.min() > Double.NEGATIVE_INFINITY;
            return bounded ? type.max(new BigDecimal(bounds.min()).setScale(0, RoundingMode.CEILING)) : type;
        }

        /** The maximum, from the setting's bounds and the Java type. */
        public BigDecimal most() {
            BigDecimal type = BigDecimal.valueOf(type() == int.class ? Integer.MAX_VALUE : Long.MAX_VALUE);
            boolean bounded = bounds.max() < Double.POSITIVE_INFINITY;
            return bounded ? type.min(new BigDecimal(bounds.max()).setScale(0, RoundingMode.FLOOR)) : type;
        }
    }

    /** A finite float or double. */
    record Real(Class<?> type, Bounds bounds) implements ValueType {}

    /** boolean. */
    record Truth() implements ValueType {}

    /** String; {@code allowed} is empty if any text is valid. */
    record Text(List<String> allowed) implements ValueType {}

    /** An enum constant in the form of {@link Spelling}. */
    record Constant(Class<? extends Enum<?>> type) implements ValueType {}

    /** A list; the setting's bounds apply to its elements. */
    record ListOf(ValueType element) implements ValueType {}

    /** An object with arbitrary keys. */
    record MapOf(ValueType element) implements ValueType {}

    /** A nested record of settings. */
    record Nested(Class<? extends Record> type) implements ValueType {}

    /** A {@link Choice} of a strategy; {@code contract} is null if it is not known. */
    record Strategy(Class<?> contract) implements ValueType {}

    /** Any value that a document can contain. */
    record Any() implements ValueType {}

    static ValueType of(RecordComponent component) {
        ChoiceOf choiceOf = component.getAnnotation(ChoiceOf.class);
        ValueType type = of(
                component.getGenericType(),
                component.getAnnotation(Setting.class),
                choiceOf == null ? null : choiceOf.value());
        if (type == null) {
            throw new IllegalStateException("a setting cannot be of type " + component.getGenericType() + ": "
                    + component.getDeclaringRecord().getName() + "." + component.getName());
        }
        return type;
    }

    private static ValueType of(Type type, Setting setting, Class<?> contract) {
        if (type instanceof ParameterizedType parameterized) {
            Type[] arguments = parameterized.getActualTypeArguments();
            boolean isMap = parameterized.getRawType() == Map.class && arguments[0] == String.class;
            ValueType element = isMap || parameterized.getRawType() == List.class
                    ? of(arguments[arguments.length - 1], setting, contract)
                    : null;
            return element == null ? null : isMap ? new MapOf(element) : new ListOf(element);
        }
        if (!(type instanceof Class<?> plain)) {
            return null;
        }
        if (plain == int.class || plain == Integer.class) {
            return new WholeNumber(int.class, Bounds.of(setting));
        } else if (plain == long.class || plain == Long.class) {
            return new WholeNumber(long.class, Bounds.of(setting));
        } else if (plain == double.class || plain == Double.class) {
            return new Real(double.class, Bounds.of(setting));
        } else if (plain == float.class || plain == Float.class) {
            return new Real(float.class, Bounds.of(setting));
        } else if (plain == boolean.class || plain == Boolean.class) {
            return new Truth();
        } else if (plain == String.class) {
            return new Text(setting == null ? List.of() : List.of(setting.allowed()));
        } else if (plain == Choice.class) {
            return new Strategy(contract);
        } else if (plain == Object.class) {
            return new Any();
        } else if (plain.isRecord()) {
            return new Nested(plain.asSubclass(Record.class));
        }
        return plain.isEnum() ? new Constant(enumType(plain)) : null;
    }

    @SuppressWarnings("unchecked") // the caller has checked isEnum
    private static Class<? extends Enum<?>> enumType(Class<?> type) {
        return (Class<? extends Enum<?>>) type;
    }

    /** The allowed values in words. */
    default String words() {
        return switch (this) {
            case WholeNumber whole -> "a whole number" + whole.bounds().words();
            case Real real -> "a number" + real.bounds().words();
            case Truth _ -> "true or false";
            case Text text -> text.allowed().isEmpty() ? "text" : String.join(", ", text.allowed());
            case Constant constant -> String.join(", ", Spelling.all(constant.type()));
            case ListOf list -> "a list, each element of it " + list.element().words();
            case MapOf map -> "an object, each value in it " + map.element().words();
            case Nested nested ->
                "an object with "
                        + String.join(", ", RecordType.of(nested.type()).names());
            case Strategy _ -> "a name, or an object with name and options";
            case Any _ -> "any value";
        };
    }
}
