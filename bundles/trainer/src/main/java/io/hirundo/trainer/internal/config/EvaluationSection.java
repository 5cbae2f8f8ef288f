package io.hirundo.trainer.internal.config;

import io.hirundo.data.DataSource;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** When the validation loss is looked at, and on what. */
public record EvaluationSection(
    @Setting(value = "Steps from one evaluation to the next; 0 for one at the end only", min = 0) long everySteps,
    @Setting(value = "Sequences of an evaluation", min = 1) int samples,
    @Setting("Further data, by name, whose validation part is looked at beside that of data.source")
        @ChoiceOf(DataSource.class)
        Map<String, Choice> watched) {
  public EvaluationSection {
    watched = Collections.unmodifiableMap(new LinkedHashMap<>(watched));
  }

  /** The defaults. */
  public EvaluationSection() {
    this(0, 64, Map.of());
  }
}
