package io.hirundo.lib.run.reference;

import io.hirundo.lib.configuration.binding.Bounds;
import io.hirundo.lib.configuration.binding.RecordType;
import io.hirundo.lib.configuration.binding.RecordType.Component;
import io.hirundo.lib.configuration.binding.Spelling;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.lib.configuration.binding.ValueType;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The JSON schema (draft 2020-12) of a configuration, for editors. It covers the records and the installed
 * strategies. The choices of each contract are one definition.
 */
public final class ConfigurationSchema {
    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";

    private final StrategyCatalog catalog;
    private final SequencedMap<String, Object> definitions = new LinkedHashMap<>();

    private ConfigurationSchema(StrategyCatalog catalog) {
        this.catalog = catalog;
    }

    /** The schema as plain values. */
    public static Map<String, Object> of(StrategyCatalog catalog) {
        ConfigurationSchema schema = new ConfigurationSchema(catalog);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("$schema", DIALECT);
        document.put("title", "Configuration of a Hirundo run");
        document.putAll(schema.object(RunConfiguration.class, new RunConfiguration()));
        document.put("$defs", schema.definitions);
        return document;
    }

    private Map<String, Object> object(Class<? extends Record> type, Record defaults) {
        RecordType<?> record = RecordType.of(type);
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (Component component : record.components()) {
            Map<String, Object> schema = property(record, component, defaults);
            properties.put(component.name(), schema);
            boolean hasRequired = component.type() instanceof ValueType.Nested && schema.containsKey("required");
            if (hasRequired || record.demands(component, defaults)) {
                required.add(component.name());
            }
        }
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("type", "object");
        object.put("properties", properties);
        if (!required.isEmpty()) {
            object.put("required", required);
        }
        object.put("additionalProperties", false);
        return object;
    }

    private Map<String, Object> property(RecordType<?> record, Component component, Record defaults) {
        Object fallback = component.of(defaults);
        boolean nullable = record.mayBeNull(component, defaults);
        Map<String, Object> property = new LinkedHashMap<>();
        property.put("description", component.description());
        Map<String, Object> type = type(component.type(), fallback);
        property.putAll(nullable ? Map.of("anyOf", List.of(type, Map.of("type", "null"))) : type);
        if (fallback != null
                && !(component.type() instanceof ValueType.Nested)
                && !record.demands(component, defaults)) {
            property.put("default", Trees.value(fallback));
        }
        return property;
    }

    private Map<String, Object> type(ValueType type, Object fallback) {
        return switch (type) {
            case ValueType.WholeNumber whole -> whole(whole);
            case ValueType.Real real -> real(real.bounds());
            case ValueType.Truth _ -> simple("boolean");
            case ValueType.Text text when text.allowed().isEmpty() -> simple("string");
            case ValueType.Text text -> with("enum", text.allowed());
            case ValueType.Constant constant -> with("enum", Spelling.all(constant.type()));
            case ValueType.ListOf list -> with(simple("array"), "items", type(list.element(), null));
            case ValueType.MapOf map -> with(simple("object"), "additionalProperties", type(map.element(), null));
            case ValueType.Nested nested -> nested(nested, fallback);
            case ValueType.Strategy strategy -> with("$ref", "#/$defs/" + definition(strategy.contract()));
            case ValueType.Any _ -> new LinkedHashMap<>();
        };
    }

    private Map<String, Object> nested(ValueType.Nested nested, Object fallback) {
        return object(
                nested.type(),
                fallback instanceof Record given
                        ? given
                        : RecordType.of(nested.type()).defaults());
    }

    private static Map<String, Object> whole(ValueType.WholeNumber whole) {
        Map<String, Object> schema = simple("integer");
        // JSON schema tools use doubles, which would round limits of 64-bit integers, so these are left out.
        if (whole.least().compareTo(BigDecimal.valueOf(Long.MIN_VALUE)) > 0) {
            schema.put("minimum", whole.least());
        }
        if (whole.most().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) < 0) {
            schema.put("maximum", whole.most());
        }
        return schema;
    }

    private static Map<String, Object> real(Bounds bounds) {
        Map<String, Object> schema = simple("number");
        if (bounds.aboveZero()) {
            schema.put("exclusiveMinimum", 0);
        } else if (bounds.min() > Double.NEGATIVE_INFINITY) {
            schema.put("minimum", bounds.min());
        }
        if (bounds.max() < Double.POSITIVE_INFINITY) {
            schema.put("maximum", bounds.max());
        }
        return schema;
    }

    /** The name of the definition that holds the choices of a contract. */
    private String definition(Class<?> contract) {
        List<Offer> offers = catalog.offers().stream()
                .filter(offer -> offer.factory().contract() == contract)
                .toList();
        String name = contract == null
                ? "choice"
                : offers.isEmpty()
                        ? contract.getSimpleName()
                        : offers.getFirst().kind();
        if (!definitions.containsKey(name)) {
            // Registered before its content exists: options of a strategy may contain choices of the same contract.
            definitions.put(name, Map.of());
            definitions.put(name, contract == null ? anyChoice() : choices(offers));
        }
        return name;
    }

    private Map<String, Object> choices(List<Offer> offers) {
        if (offers.isEmpty()) {
            return with("not", Map.of()); // an empty oneOf is not valid
        }
        List<Object> alternatives = new ArrayList<>();
        for (Offer offer : offers) {
            Class<? extends Record> type = offer.factory().optionsType();
            Map<String, Object> options = object(type, RecordType.of(type).defaults());
            if (!options.containsKey("required")) {
                alternatives.add(with("const", offer.name()));
            }
            alternatives.add(choiceObject(with("const", offer.name()), options));
        }
        return with("oneOf", alternatives);
    }

    private static Map<String, Object> anyChoice() {
        return Map.of("oneOf", List.of(simple("string"), choiceObject(simple("string"), simple("object"))));
    }

    private static Map<String, Object> choiceObject(Map<String, Object> name, Map<String, Object> options) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("name", name);
        properties.put("options", options);
        Map<String, Object> schema = with(simple("object"), "properties", properties);
        schema.put("required", options.containsKey("required") ? List.of("name", "options") : List.of("name"));
        schema.put("additionalProperties", false);
        return schema;
    }

    private static Map<String, Object> simple(String type) {
        return with("type", type);
    }

    private static Map<String, Object> with(String key, Object value) {
        return with(new LinkedHashMap<>(), key, value);
    }

    private static Map<String, Object> with(Map<String, Object> schema, String key, Object value) {
        schema.put(key, value);
        return schema;
    }
}
