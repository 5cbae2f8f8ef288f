package io.hirundo.lib.run.section;

import io.hirundo.strategy.Setting;
import java.util.List;

/** Steps whose gradient and weight fingerprints are written to {@code fingerprints.jsonl}. They do not affect the loss. */
public record FingerprintsSection(
        @Setting(
                value =
                        "Steps after which a fingerprint of each tensor's gradient and weight is written: sums that agree between layouts"
                                + " up to rounding; such a step takes longer; empty for none",
                min = 1)
        List<Long> steps) {
    public FingerprintsSection {
        steps = List.copyOf(steps);
    }

    /** The defaults. */
    public FingerprintsSection() {
        this(List.of());
    }

    /** Whether a run takes any fingerprint. */
    public boolean areOn() {
        return !steps.isEmpty();
    }
}
