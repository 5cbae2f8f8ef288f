package io.hirundo.lib.configuration.document;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.hirundo.lib.input.Excerpt;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads one document from a parser as ordered maps, lists, text, booleans, Long and BigDecimal. YAML aliases are expanded. The number of
 * values is limited, so that a short file cannot expand into a huge one.
 */
final class DocumentReader {
    private static final int MAX_VALUES = 100_000;

    /** Accepts only YAML numbers that all parsers read alike: 010 is octal in YAML 1.1 and decimal in YAML 1.2. */
    private static final Pattern DECIMAL = Pattern.compile("[-+]?(\\.\\d+|(0|[1-9]\\d*)(\\.\\d*)?)([eE][-+]?\\d+)?");

    private final JsonParser parser;
    private final Map<String, Anchored> anchors = new HashMap<>();
    private int values;

    /** The value of an anchor and its number of nested values. */
    private record Anchored(Object value, int values) {}

    DocumentReader(JsonParser parser) {
        this.parser = parser;
    }

    /** Reads the single value of the document; null if the document is empty. */
    Object read() throws IOException {
        if (parser.nextToken() == null) {
            return null;
        }
        Object document = value();
        if (parser.nextToken() != null) {
            throw fault("there is something after the end of the document");
        }
        return document;
    }

    private Object value() throws IOException {
        if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
            return alias(parser.getText());
        }
        if (parser.getTypeId() != null) {
            throw fault("the tag " + Excerpt.of(parser.getTypeId().toString())
                    + " is not allowed; allowed: values without tags");
        }
        Object anchor = parser.getObjectId();
        int before = values;
        count(1);
        Object value = plainValue();
        if (anchor != null) {
            anchors.put(anchor.toString(), new Anchored(value, values - before));
        }
        return value;
    }

    private Object alias(String name) throws IOException {
        Anchored anchored = anchors.get(name);
        if (anchored == null) {
            throw fault("alias *" + Excerpt.of(name)
                    + " names no list or object before it; allowed: those, other values written out");
        }
        count(anchored.values());
        return anchored.value();
    }

    private void count(int more) throws SyntaxFault {
        values += more;
        if (values > MAX_VALUES) {
            throw fault("there are more than " + MAX_VALUES + " values");
        }
    }

    private Object plainValue() throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object();
            case START_ARRAY -> array();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser.getText());
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    private Number number(String text) throws SyntaxFault {
        if (!DECIMAL.matcher(text).matches()) {
            throw fault(Excerpt.of(text)
                    + " is not a plain number; allowed: digits without leading zeros, underscores or prefixes");
        }
        try {
            BigDecimal value = new BigDecimal(text);
            boolean isLong = text.matches("[-+]?\\d{1,18}");
            return isLong ? (Number) value.longValueExact() : value;
        } catch (NumberFormatException e) {
            throw fault(Excerpt.of(text) + " is out of range");
        }
    }

    private Map<String, Object> object() throws IOException {
        Map<String, Object> object = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            object.put(key, value());
        }
        return object;
    }

    private List<Object> array() throws IOException {
        List<Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value());
        }
        return array;
    }

    private SyntaxFault fault(String message) {
        return new SyntaxFault(message, parser.currentTokenLocation());
    }
}
