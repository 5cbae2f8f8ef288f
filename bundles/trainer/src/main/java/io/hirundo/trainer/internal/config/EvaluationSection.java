package io.hirundo.trainer.internal.config;

import io.hirundo.data.DataSource;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** When the validation loss is looked at, and on what; when how much rounding loses, and what kernels take. */
public record EvaluationSection(
    @Setting(value = "Steps from one evaluation to the next; 0 for one at the end only", min = 0) long everySteps,
    @Setting(value = "Sequences of an evaluation", min = 1, max = SizeLimits.SEQUENCES) int samples,
    @Setting("Further data, by name, whose validation part is looked at beside that of data.source")
        @ChoiceOf(DataSource.class)
        Map<String, Choice> watched,
    @Setting(
            value =
                "Steps from one look at what rounding to 8 bits loses to the next: per layer and operand the parts that vanish"
                    + " and that are cut off, and the relative error; such a step takes longer, and more memory; 0 for none",
            min = 0)
        long roundingEverySteps,
    @Setting(
            value =
                "Steps from one in which the device times its kernels to the next; such a step takes a little longer; 0 for none",
            min = 0)
        long kernelTimesEverySteps) {
  public EvaluationSection {
    watched = Collections.unmodifiableMap(new LinkedHashMap<>(watched));
  }

  /** The defaults. */
  public EvaluationSection() {
    this(0, 64, Map.of(), 0, 0);
  }
}
