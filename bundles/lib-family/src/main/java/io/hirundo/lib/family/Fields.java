package io.hirundo.lib.family;

import io.hirundo.HirundoException;
import io.hirundo.lib.input.Excerpt;
import java.util.Map;
import java.util.function.Function;

/**
 * Fields of a JSON object, as {@code config.json} holds, checked when they are read. A null field counts as missing.
 *
 * @param values strings, numbers, booleans, lists and maps by name
 * @param where name of the object, for messages
 * @param failure creates the exception from a message
 */
public record Fields(Map<?, ?> values, String where, Function<String, HirundoException> failure) {
    public boolean has(String key) {
        return values.get(key) != null;
    }

    public Object get(String key) {
        return values.get(key);
    }

    /** A whole number of at least {@code least}; {@code fallback} if missing. */
    public int whole(String key, int least, int fallback) {
        if (!has(key)) {
            return fallback;
        }
        boolean isWhole = get(key) instanceof Number number && number.doubleValue() == number.intValue();
        if (!isWhole || ((Number) get(key)).intValue() < least) {
            throw wrong(key, "a whole number from " + least + " to " + Integer.MAX_VALUE);
        }
        return ((Number) get(key)).intValue();
    }

    /** A finite number above 0; {@code fallback} if missing. */
    public double positive(String key, double fallback) {
        double value = number(key, fallback);
        if (value <= 0) {
            throw wrong(key, "a number above 0");
        }
        return value;
    }

    /** A finite number; {@code fallback} if missing. */
    public double number(String key, double fallback) {
        if (!has(key)) {
            return fallback;
        }
        if (!(get(key) instanceof Number number) || !Double.isFinite(number.doubleValue())) {
            throw wrong(key, "a number");
        }
        return number.doubleValue();
    }

    public boolean truth(String key, boolean fallback) {
        if (!has(key)) {
            return fallback;
        }
        if (!(get(key) instanceof Boolean truth)) {
            throw wrong(key, "true or false");
        }
        return truth;
    }

    public String text(String key, String fallback) {
        if (!has(key)) {
            return fallback;
        }
        if (!(get(key) instanceof String text)) {
            throw wrong(key, "a text");
        }
        return text;
    }

    /** The object under a key; it is required. */
    public Fields object(String key) {
        if (!(get(key) instanceof Map<?, ?> object)) {
            throw wrong(key, "an object");
        }
        return new Fields(object, where + ": " + key, failure);
    }

    /** Rejects the object if the field is missing. */
    public void require(String key) {
        if (!has(key)) {
            throw failure.apply(where + ": '" + key + "' is missing");
        }
    }

    /** The exception for a field that has a wrong value. */
    public HirundoException wrong(String key, String allowed) {
        if (!has(key)) {
            return failure.apply(where + ": '" + key + "' is missing (allowed: " + allowed + ")");
        }
        String value = get(key) instanceof String text ? '"' + Excerpt.of(text) + '"' : Excerpt.of(get(key).toString());
        return failure.apply(where + ": '" + key + "': " + value + " is wrong (allowed: " + allowed + ")");
    }
}
