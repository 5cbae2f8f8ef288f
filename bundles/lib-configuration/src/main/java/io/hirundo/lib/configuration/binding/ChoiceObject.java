package io.hirundo.lib.configuration.binding;

import io.hirundo.strategy.Setting;
import java.util.Map;

/** The long form of a strategy choice in a document: an object with name and options. */
record ChoiceObject(
        @Setting(value = "Which strategy", required = true) String name,
        @Setting("Its options") Map<String, Object> options) {
    ChoiceObject() {
        this(null, Map.of());
    }
}
