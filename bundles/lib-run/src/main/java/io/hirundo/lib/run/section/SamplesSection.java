package io.hirundo.lib.run.section;

import io.hirundo.strategy.Setting;
import java.util.List;

/** Text samples that the model generates during training. They do not affect the loss. */
public record SamplesSection(
        @Setting(value = "Steps between samples of each prompt, one more after the last step; 0 for none", min = 0)
        long everySteps,

        @Setting("Texts that the model continues") List<String> prompts,

        @Setting(value = "Tokens per sample", min = 1, max = SizeLimits.SEQUENCE_TOKENS)
        int tokens,

        @Setting(value = "0 always picks the most likely token; 1 samples from the model's distribution", min = 0)
        double temperature) {
    public SamplesSection {
        prompts = List.copyOf(prompts);
    }

    /** The defaults. */
    public SamplesSection() {
        this(0, List.of(), 64, 0.8);
    }

    public boolean areOn() {
        return everySteps > 0;
    }
}
