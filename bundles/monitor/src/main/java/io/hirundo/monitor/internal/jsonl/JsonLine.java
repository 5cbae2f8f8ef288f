package io.hirundo.monitor.internal.jsonl;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.hirundo.device.MemoryCategory;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Builds a JSON object on one line. JSON has no NaN and no infinities: such a figure is {@code null}, and the object then ends
 * with {@code "nonFinite": {"loss": "NaN"}}, which holds the value.
 */
final class JsonLine {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator json;
    private final Map<String, Double> nonFinite = new LinkedHashMap<>();

    private JsonLine(JsonGenerator json) {
        this.json = json;
    }

    /** Writes an object's fields. */
    @FunctionalInterface
    interface Fields {
        void write(JsonLine line) throws IOException;
    }

    /** The object with these fields, as one line. */
    static String of(Fields fields) {
        var text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            var line = new JsonLine(json);
            json.writeStartObject();
            fields.write(line);
            line.writeNonFinite();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    /** For fields that are always finite. */
    JsonGenerator json() {
        return json;
    }

    void number(String name, double value) throws IOException {
        if (Double.isFinite(value)) {
            json.writeNumberField(name, value);
        } else {
            json.writeNullField(name);
            nonFinite.put(name, value);
        }
    }

    void texts(String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    /** All categories, so that every line has the same fields. */
    void categories(String name, Map<MemoryCategory, Long> bytes) throws IOException {
        json.writeObjectFieldStart(name);
        for (MemoryCategory category : MemoryCategory.values()) {
            json.writeNumberField(category.name().toLowerCase(Locale.ROOT), bytes.getOrDefault(category, 0L));
        }
        json.writeEndObject();
    }

    private void writeNonFinite() throws IOException {
        if (nonFinite.isEmpty()) {
            return;
        }
        json.writeObjectFieldStart("nonFinite");
        for (var entry : nonFinite.entrySet()) {
            json.writeStringField(entry.getKey(), entry.getValue().toString());
        }
        json.writeEndObject();
    }
}
