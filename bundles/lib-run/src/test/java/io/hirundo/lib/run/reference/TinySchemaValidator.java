package io.hirundo.lib.run.reference;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** Validates plain values against the few schema keywords that the generated schema uses. */
record TinySchemaValidator(Map<String, Object> document) {
    boolean accepts(Object value) {
        return accepts(document, value);
    }

    private boolean accepts(Object schema, Object value) {
        if (schema instanceof Boolean all) {
            return all;
        }
        Map<?, ?> keywords = (Map<?, ?>) schema;
        return keywords.entrySet().stream().allMatch(e -> accepts(keywords, (String) e.getKey(), e.getValue(), value));
    }

    private boolean accepts(Map<?, ?> schema, String keyword, Object argument, Object value) {
        return switch (keyword) {
            case "$schema", "title", "description", "default", "$defs" -> true;
            case "$ref" -> accepts(definition((String) argument), value);
            case "type" -> isOfType((String) argument, value);
            case "const" -> argument.equals(value);
            case "enum" -> ((List<?>) argument).contains(value);
            case "oneOf" ->
                notEmpty((List<?>) argument).stream()
                                .filter(s -> accepts(s, value))
                                .count()
                        == 1;
            case "not" -> !accepts(argument, value);
            case "anyOf" -> ((List<?>) argument).stream().anyMatch(s -> accepts(s, value));
            case "minimum" -> !(value instanceof Number n) || compare(n, argument) >= 0;
            case "exclusiveMinimum" -> !(value instanceof Number n) || compare(n, argument) > 0;
            case "maximum" -> !(value instanceof Number n) || compare(n, argument) <= 0;
            case "items" -> !(value instanceof List<?> list) || list.stream().allMatch(e -> accepts(argument, e));
            case "required" -> !(value instanceof Map<?, ?> map) || map.keySet().containsAll((List<?>) argument);
            case "properties" ->
                !(value instanceof Map<?, ?> map)
                        || ((Map<?, ?>) argument)
                                .entrySet().stream()
                                        .allMatch(e -> !map.containsKey(e.getKey())
                                                || accepts(e.getValue(), map.get(e.getKey())));
            case "additionalProperties" ->
                !(value instanceof Map<?, ?> map)
                        || map.entrySet().stream()
                                .allMatch(e -> isProperty(schema, e.getKey()) || accepts(argument, e.getValue()));
            default -> throw new AssertionError("keyword " + keyword);
        };
    }

    private static List<?> notEmpty(List<?> schemas) {
        if (schemas.isEmpty()) {
            throw new AssertionError("an empty list of schemas is not allowed");
        }
        return schemas;
    }

    private static boolean isProperty(Map<?, ?> schema, Object key) {
        return schema.get("properties") instanceof Map<?, ?> properties && properties.containsKey(key);
    }

    private Object definition(String reference) {
        Object found = ((Map<?, ?>) document.get("$defs")).get(reference.substring("#/$defs/".length()));
        if (found == null) {
            throw new AssertionError(reference);
        }
        return found;
    }

    private static boolean isOfType(String type, Object value) {
        return switch (type) {
            case "object" -> value instanceof Map<?, ?>;
            case "array" -> value instanceof List<?>;
            case "string" -> value instanceof String;
            case "boolean" -> value instanceof Boolean;
            case "null" -> value == null;
            case "number" -> value instanceof Number;
            case "integer" ->
                value instanceof Number n && decimal(n).stripTrailingZeros().scale() <= 0;
            default -> throw new AssertionError("type " + type);
        };
    }

    private static int compare(Number value, Object bound) {
        return decimal(value).compareTo(decimal((Number) bound));
    }

    private static BigDecimal decimal(Number number) {
        return new BigDecimal(number.toString());
    }
}
