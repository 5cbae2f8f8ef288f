package io.hirundo.itests.damage;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Faults of a file in JSON. */
public final class JsonFaults {
    /** Longer than any message may quote. */
    public static final String LONG_NAME = "n".repeat(5_000);

    private static final int DEEP = 100_000;
    /** Takes the values of all cases, numbers of 5,000 digits too. */
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNumberLength(1_000_000).build())
            .build());

    private JsonFaults() {}

    /** Changes the bytes of some JSON. */
    @FunctionalInterface
    public interface Edit {
        byte[] apply(byte[] json) throws IOException;
    }

    /** Where the JSON stands in a file, if that is more than it. */
    @FunctionalInterface
    public interface Envelope {
        byte[] edit(byte[] file, Edit edit) throws IOException;
    }

    /** The file is the JSON. */
    public static final Envelope WHOLE_FILE = (file, edit) -> edit.apply(file);

    private static Breakage edited(Envelope envelope, Edit edit) {
        return file -> Files.write(file, envelope.edit(Files.readAllBytes(file), edit));
    }

    /** Unexpected or invalid JSON. */
    public static Map<String, Breakage> otherThanAnObject(Envelope envelope) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("null for all", "null");
        texts.put("list for all", "[]");
        texts.put("text for all", "\"text\"");
        texts.put("number for all", "12");
        texts.put("empty object", "{}");
        texts.put("nested " + DEEP + " deep", "[".repeat(DEEP));
        texts.put("objects nested " + DEEP + " deep", "{\"a\":".repeat(DEEP));
        texts.put("nested in a field", "{\"a\":" + "[".repeat(DEEP) + "]".repeat(DEEP) + "}");
        texts.put("no closing brace", "{\"a\": 1");
        texts.put("text after it", "{} {}");
        texts.put("single quotes", "{'a': 1}");
        texts.put("number of 5,000 digits", "{\"a\": " + "9".repeat(5_000) + "}");
        texts.put("control characters", "{\"a\u001b[31m\u0007\": \u0001}");
        Map<String, Breakage> faults = new LinkedHashMap<>();
        texts.forEach((name, text) ->
                faults.put(name, edited(envelope, json -> text.getBytes(StandardCharsets.UTF_8))));
        faults.put("not UTF-8", edited(envelope, json ->
                new byte[] {'{', '"', (byte) 0xff, (byte) 0xc0, '"', ':', '1', '}'}));
        return faults;
    }

    /** A field has other values, as JSON; {@code pointer}: {@code /a/0/b}. */
    public static Map<String, Breakage> values(Envelope envelope, String pointer, String... values) {
        Map<String, Breakage> faults = new LinkedHashMap<>();
        for (String value : values) {
            faults.put(
                    pointer + " is " + (value.length() > 40 ? value.substring(0, 20) + " of " + value.length() : value),
                    edited(envelope, json -> set(json, pointer, value)));
        }
        return faults;
    }

    /** A missing field. */
    public static Map<String, Breakage> without(Envelope envelope, String pointer) {
        return Map.of(pointer + " is absent", edited(envelope, json -> set(json, pointer, null)));
    }

    /** A field is there once more, with a name or another value. */
    public static Map<String, Breakage> more(Envelope envelope, String field, String value) {
        String name = field.length() > 40 ? "of " + field.length() + " characters" : field;
        return Map.of("more: " + name, edited(envelope, json -> set(json, "/" + field, value)));
    }

    private static byte[] set(byte[] json, String pointer, String value) throws IOException {
        JsonNode root = JSON.readTree(json);
        JsonPointer place = JsonPointer.compile(pointer);
        JsonNode parent = root.at(place.head());
        String field = place.last().getMatchingProperty();
        if (parent instanceof ArrayNode list) {
            replace(list, Integer.parseInt(field), value);
        } else if (parent instanceof ObjectNode object) {
            if (value == null) {
                object.remove(List.of(field));
            } else {
                object.set(field, JSON.readTree(value));
            }
        } else {
            throw new IllegalStateException(
                    "there is no " + pointer + " in " + new String(json, StandardCharsets.UTF_8));
        }
        return JSON.writeValueAsBytes(root);
    }

    private static void replace(ArrayNode list, int index, String value) throws IOException {
        if (value == null) {
            list.remove(index);
        } else {
            list.set(index, JSON.readTree(value));
        }
    }
}
