package io.hirundo.lib.configuration.binding;

import io.hirundo.lib.configuration.document.Numbers;
import io.hirundo.lib.input.Excerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The textual form of values in documents and messages. */
public final class Spelling {
    /** Maximum number of object keys in a message. */
    private static final int MAX_SHOWN = 8;

    private Spelling() {}

    /** Converts a constant name, for example FP8_E4M3 to fp8-e4m3. */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The textual forms of all constants of an enum. */
    public static List<String> all(Class<? extends Enum<?>> type) {
        List<String> names = new ArrayList<>();
        for (Enum<?> constant : type.getEnumConstants()) {
            names.add(of(constant));
        }
        return names;
    }

    /** Capitalizes the first letter, so that descriptions of all bundles look the same. */
    static String sentence(String text) {
        return text.isEmpty() ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    /** The textual form of a value in a message. */
    static String shown(Object value) {
        return switch (value) {
            case null -> "null";
            case String text -> '"' + Excerpt.of(text) + '"';
            case Number number -> Excerpt.of(Numbers.text(number));
            case Map<?, ?> map ->
                Excerpt.of("{"
                        + String.join(
                                ", ",
                                map.keySet().stream()
                                        .limit(MAX_SHOWN)
                                        .map(String::valueOf)
                                        .toList()) + (map.size() > MAX_SHOWN ? ", ..." : "") + "}");
            case List<?> list -> Excerpt.of(list);
            default -> Excerpt.of(value.toString());
        };
    }

    /** The kind of a value, for messages. */
    static String kind(Object value) {
        return switch (value) {
            case String _ -> "text";
            case Number _ -> "a number";
            case Boolean _ -> "a truth value";
            case Map<?, ?> _ -> "an object";
            case List<?> _ -> "a list";
            default -> "of type " + value.getClass().getName();
        };
    }
}
