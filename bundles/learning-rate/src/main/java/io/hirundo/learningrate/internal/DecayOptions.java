package io.hirundo.learningrate.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code linear} and {@code cosine}.
 *
 * @param peak rate after the warm-up
 * @param warmupSteps steps of linear warm-up
 * @param finalRate rate of the last step of the schedule, and of all later ones
 * @param warmupFraction length of the warm-up as a fraction of the schedule, instead of warmupSteps
 * @param warmupSamples its length in sequences, instead
 * @param warmupTokens its length in tokens, instead
 */
public record DecayOptions(
        @Setting(value = "Highest learning rate, above 0", min = 0)
        double peak,

        @Setting(value = Warmup.STEPS, min = 0) long warmupSteps,

        @Setting(value = "Learning rate of the schedule's last step and all later ones, at most the peak", min = 0)
        double finalRate,

        @Setting(value = Warmup.FRACTION, min = 0, max = 1) double warmupFraction,
        @Setting(value = Warmup.SAMPLES, min = 0) long warmupSamples,
        @Setting(value = Warmup.TOKENS, min = 0) long warmupTokens) {
    public DecayOptions() {
        this(3e-4, 0, 0);
    }

    DecayOptions(double peak, long warmupSteps, double finalRate) {
        this(peak, warmupSteps, finalRate, 0, 0, 0);
    }

    Warmup warmup() {
        return new Warmup(warmupSteps, warmupFraction, warmupSamples, warmupTokens);
    }
}
