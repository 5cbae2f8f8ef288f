package io.hirundo.trainer.internal.binding;

import io.hirundo.strategy.Setting;
import java.util.Map;

/** The long form of a choice in a document. */
record ChoiceObject(
    @Setting(value = "Which strategy", required = true) String name,
    @Setting("Its options") Map<String, Object> options) {
  ChoiceObject() {
    this(null, Map.of());
  }
}
