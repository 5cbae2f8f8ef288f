package io.hirundo.trainer.internal.config;

import io.hirundo.strategy.Setting;
import java.util.List;

/** Texts that the model writes while it is trained, for whoever follows the run. They change no loss. */
public record SamplesSection(
    @Setting(value = "Steps from one sample of each prompt to the next, one more after the last step; 0 for none", min = 0) long everySteps,
    @Setting("Texts that the model continues") List<String> prompts,
    @Setting(value = "Tokens after which a sample ends", min = 1, max = SizeLimits.SEQUENCE_TOKENS) int tokens,
    @Setting(value = "0 for the most likely token always; 1 for the model's own distribution", min = 0) double temperature) {
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
