package io.hirundo.trainer.internal.config;

import io.hirundo.strategy.Setting;
import java.util.List;

/** Steps of which fingerprints of all gradients and weights are written to {@code fingerprints.jsonl}. They change no loss. */
public record FingerprintsSection(
    @Setting(
            value =
                "Steps after which a fingerprint of each tensor's gradient and weight is written: sums that are the same in every"
                    + " layout up to rounding; such a step takes longer; empty for none",
            min = 1)
        List<Long> steps) {
  public FingerprintsSection {
    steps = List.copyOf(steps);
  }

  /** The defaults. */
  public FingerprintsSection() {
    this(List.of());
  }

  /** Whether any step of a run of so many steps is among them. */
  public boolean areOn(long runSteps) {
    return steps.stream().anyMatch(step -> step <= runSteps);
  }
}
