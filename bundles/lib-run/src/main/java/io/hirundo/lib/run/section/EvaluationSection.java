package io.hirundo.lib.run.section;

import io.hirundo.data.DataSource;
import io.hirundo.lib.run.change.Changeable;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** When the validation loss, the quantization error and kernel times are measured, and on which data. */
public record EvaluationSection(
        @Setting(value = "Steps between evaluations; 0 for one at the end only", min = 0)
        long everySteps,

        @Setting(value = "Sequences per evaluation", min = 1, max = SizeLimits.SEQUENCES)
        @Changeable(RunPart.EVALUATION_DATA)
        int samples,

        @Setting("Further data sources, by name, whose validation part is evaluated in addition to that of data.source")
        @ChoiceOf(DataSource.class)
        @Changeable(RunPart.EVALUATION_DATA)
        Map<String, Choice> watched,

        @Setting(
                value =
                        "Steps between measurements of the FP8 quantization error: per layer and operand the underflow and saturation"
                                + " rates and the relative error; such a step needs more time and memory; 0 for none",
                min = 0)
        long roundingEverySteps,

        @Setting(
                value = "Steps between kernel timings by the device; such a step takes a little longer; 0 for none",
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
