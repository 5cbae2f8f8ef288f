package io.hirundo.dataloader.internal.decoding;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.JsonComplaint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Takes the text out of a line of JSON: an object with it in one of its fields. */
public final class JsonLine {
    /** Names of fields that are remembered for a message. */
    private static final int MOST_OTHERS = 100;

    private static final String OR_TEXT = "; if these are no JSON lines, give --format text (eval: --data-format text)";

    private final String field;
    private long replaced;
    private final JsonFactory factory = JsonFactory.builder()
            // Python writes NaN and Infinity, which no other field's reader may stumble over.
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    public JsonLine(String field) {
        this.field = field;
    }

    /**
     * The text; empty for a blank line and for null.
     *
     * @param origin of the line, for messages
     */
    public String text(byte[] bytes, int first, int count, String origin) throws IOException {
        try (JsonParser parser = factory.createParser(bytes, first, count)) {
            JsonToken begin = parser.nextToken();
            if (begin == null) {
                return "";
            }
            if (begin != JsonToken.START_OBJECT) {
                throw new DataException(
                        origin + " is no JSON object; JSON lines hold an object in each line" + OR_TEXT);
            }
            String text = textOf(parser, origin);
            if (parser.nextToken() != null) {
                throw new DataException(
                        origin + " continues after its JSON object; JSON lines hold one object per line" + OR_TEXT);
            }
            String wellFormed = Utf8.wellFormed(text);
            if (!wellFormed.equals(text)) {
                replaced += Utf8.loneSurrogates(text);
            }
            return wellFormed;
        } catch (JsonProcessingException e) {
            throw new DataException(origin + " is no JSON: " + JsonComplaint.of(e.getOriginalMessage()) + OR_TEXT, e);
        }
    }

    /** Lone surrogates replaced so far. */
    public long replaced() {
        return replaced;
    }

    private String textOf(JsonParser parser, String origin) throws IOException {
        List<String> others = new ArrayList<>();
        String text = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (!name.equals(field)) {
                if (others.size() < MOST_OTHERS) {
                    others.add(name);
                }
                parser.skipChildren();
            } else if (text != null) {
                throw new DataException(origin + " has its field " + Excerpt.of(field) + " twice; keep one of them");
            } else if (value == JsonToken.VALUE_STRING) {
                text = parser.getText();
            } else if (value == JsonToken.VALUE_NULL) {
                text = "";
            } else {
                throw new DataException(origin + " holds no string in its field " + Excerpt.of(field)
                        + "; choose another with --text-field NAME");
            }
        }
        if (text == null) {
            throw new DataException(origin + " has no field " + Excerpt.of(field) + " among " + Excerpt.of(others)
                    + "; choose another with " + "--text-field NAME");
        }
        return text;
    }
}
