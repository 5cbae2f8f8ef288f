package io.hirundo.lib.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Reads foreign JSON as a stream. Each value is checked where it occurs, so that a field of the wrong type is rejected by path
 * and costs no memory. Holds at most one value at a time.
 */
public final class JsonInput implements AutoCloseable {
    /** Of {@link #anything}. */
    private static final int MAX_VALUES = 1_000_000;

    private static final Pattern LAST_INDEX = Pattern.compile("\\[\\d+]$");

    private final JsonCursor cursor;
    private int values;

    /**
     * Opens the text and moves to its first value.
     *
     * @param text UTF-8 JSON, from {@code begin} on
     * @param where name of the text, for messages
     * @param failure creates the exception from a message and a cause, which may be null
     */
    public JsonInput(
            byte[] text,
            int begin,
            int length,
            String where,
            BiFunction<String, Throwable, ? extends RuntimeException> failure) {
        this.cursor = new JsonCursor(text, begin, length, where, failure);
    }

    /** Requires that nothing follows the value that was read. */
    public void end() {
        if (cursor.next() != null) {
            throw cursor.wrong(" does not end where its JSON does, at byte " + cursor.position(), null);
        }
    }

    /**
     * Reads the object here. Skips unknown fields, which a later version may write.
     *
     * @param required reader of each required field
     * @param optional reader of each optional field
     */
    public Map<String, Object> object(Map<String, Supplier<?>> required, Map<String, Supplier<?>> optional) {
        var fields = new HashMap<String, Object>();
        fields(name -> {
            Supplier<?> reader = required.getOrDefault(name, optional.get(name));
            if (reader == null) {
                skip();
            } else {
                fields.put(name, reader.get());
            }
        });
        for (String name : required.keySet()) {
            if (!fields.containsKey(name)) {
                String path = cursor.path();
                throw cursor.wrong(": field " + (path.isEmpty() ? "" : path + ".") + name + " is missing", null);
            }
        }
        return fields;
    }

    /** Reads the object here; calls the reader for each field, which must read its value. */
    public void fields(Consumer<String> reader) {
        require(cursor.token() == JsonToken.START_OBJECT, "an object");
        Set<String> seen = new HashSet<>();
        while (cursor.next() != JsonToken.END_OBJECT) {
            String name = cursor.read(JsonParser::currentName);
            if (!seen.add(name)) {
                throw cursor.wrong(": field " + cursor.path() + " is there twice", null);
            }
            cursor.next();
            reader.accept(name);
        }
    }

    /** Skips the value here. */
    public void skip() {
        cursor.read(JsonParser::skipChildren);
    }

    /** Reads the list here. */
    public <T> List<T> list(Supplier<T> element) {
        return list(element, Integer.MAX_VALUE);
    }

    /** Reads the list here, of at most so many elements. */
    public <T> List<T> list(Supplier<T> element, int most) {
        require(cursor.token() == JsonToken.START_ARRAY, "a list");
        var list = new ArrayList<T>();
        while (cursor.next() != JsonToken.END_ARRAY) {
            if (list.size() == most) {
                String field = LAST_INDEX.matcher(cursor.path()).replaceFirst("");
                throw cursor.wrong(": field " + field + " exceeds the " + most + " elements that are allowed", null);
            }
            list.add(element.get());
        }
        return Collections.unmodifiableList(list);
    }

    /** Reads the string here. */
    public String text() {
        require(cursor.token() == JsonToken.VALUE_STRING, "a text");
        return cursor.text();
    }

    /** Reads the string here, which must match the pattern. */
    public String text(Pattern pattern, String allowed) {
        String text = text();
        require(pattern.matcher(text).matches(), allowed);
        return text;
    }

    /** Reads the whole number here. */
    public long whole(long least, long most) {
        boolean isWhole = cursor.token() == JsonToken.VALUE_NUMBER_INT
                && cursor.read(JsonParser::getNumberType) != JsonParser.NumberType.BIG_INTEGER;
        long value = isWhole ? cursor.read(JsonParser::getLongValue) : 0;
        // The text is composed only for a wrong value: manifests have thousands of numbers.
        if (!isWhole || value < least || value > most) {
            require(false, "a whole number of " + least + " to " + most);
        }
        return value;
    }

    /**
     * Reads any value: null, {@link Boolean}, {@link Long}, {@link java.math.BigInteger}, {@link Double}, {@link String}, list or
     * map.
     */
    public Object anything() {
        if (++values > MAX_VALUES) {
            throw cursor.wrong(
                    ": field " + cursor.path() + " exceeds the " + MAX_VALUES + " values that are allowed", null);
        }
        return switch (cursor.token()) {
            case null -> {
                require(false, "a value");
                yield null;
            }
            case VALUE_NULL -> null;
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_STRING -> text();
            case VALUE_NUMBER_INT -> cursor.read(JsonInput::integer);
            case VALUE_NUMBER_FLOAT -> real();
            case START_ARRAY -> list(this::anything);
            default -> map();
        };
    }

    private static Number integer(JsonParser parser) throws IOException {
        return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? parser.getBigIntegerValue()
                : parser.getLongValue();
    }

    private Double real() {
        double value = cursor.read(JsonParser::getDoubleValue);
        require(Double.isFinite(value), "a finite number");
        return value;
    }

    /** Reads the object here with any fields. */
    public Map<String, Object> map() {
        var map = new LinkedHashMap<String, Object>();
        fields(name -> map.put(name, anything()));
        return map;
    }

    /** Throws if the value here is not allowed. */
    public void require(boolean isAllowed, String allowed) {
        cursor.require(isAllowed, allowed);
    }

    @Override
    public void close() {
        cursor.close();
    }
}
