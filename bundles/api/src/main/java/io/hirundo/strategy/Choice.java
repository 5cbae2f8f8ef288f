package io.hirundo.strategy;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A strategy as a configuration selects it.
 *
 * @param name of the strategy
 * @param options not yet bound to the strategy's options record: numbers, strings, booleans, lists and maps
 */
public record Choice(String name, Map<String, Object> options) {
    public Choice {
        options = options == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }

    public static Choice of(String name) {
        return new Choice(name, Map.of());
    }
}
