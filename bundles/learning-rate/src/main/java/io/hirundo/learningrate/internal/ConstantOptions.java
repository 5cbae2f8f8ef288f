package io.hirundo.learningrate.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code constant}.
 *
 * @param peak rate after the warm-up
 * @param warmupSteps steps of linear warm-up
 * @param warmupFraction its length as a fraction of the schedule, instead
 * @param warmupSamples its length in sequences, instead
 * @param warmupTokens its length in tokens, instead
 */
public record ConstantOptions(
        @Setting(value = "Learning rate after the warm-up, above 0", min = 0)
        double peak,

        @Setting(value = Warmup.STEPS, min = 0) long warmupSteps,
        @Setting(value = Warmup.FRACTION, min = 0, max = 1) double warmupFraction,
        @Setting(value = Warmup.SAMPLES, min = 0) long warmupSamples,
        @Setting(value = Warmup.TOKENS, min = 0) long warmupTokens) {
    public ConstantOptions() {
        this(3e-4, 0);
    }

    public ConstantOptions(double peak, long warmupSteps) {
        this(peak, warmupSteps, 0, 0, 0);
    }

    Warmup warmup() {
        return new Warmup(warmupSteps, warmupFraction, warmupSamples, warmupTokens);
    }
}
