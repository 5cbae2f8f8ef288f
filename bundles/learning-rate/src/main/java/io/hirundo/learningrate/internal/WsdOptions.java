package io.hirundo.learningrate.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code wsd}.
 *
 * @param peak rate between warm-up and decay
 * @param warmupSteps steps of linear warm-up
 * @param finalRate rate of the last step of the schedule, and of all later ones
 * @param decaySteps length of the decay
 * @param decayCurve its curve
 * @param warmupFraction length of the warm-up as a fraction of the schedule, instead of warmupSteps
 * @param warmupSamples its length in sequences, instead
 * @param warmupTokens its length in tokens, instead
 */
public record WsdOptions(
        @Setting(value = "Learning rate between warm-up and decay, above 0", min = 0)
        double peak,

        @Setting(value = Warmup.STEPS, min = 0) long warmupSteps,

        @Setting(value = "Learning rate of the schedule's last step and all later ones, at most the peak", min = 0)
        double finalRate,

        @Setting(
                value =
                        "Last steps of the schedule, in which the rate falls; 0 for a tenth of the steps after the warm-up",
                min = 0)
        long decaySteps,

        @Setting(
                value = "Curve of the fall",
                allowed = {"linear", "cosine", "exponential", "minus_sqrt"})
        String decayCurve,

        @Setting(value = Warmup.FRACTION, min = 0, max = 1) double warmupFraction,
        @Setting(value = Warmup.SAMPLES, min = 0) long warmupSamples,
        @Setting(value = Warmup.TOKENS, min = 0) long warmupTokens) {
    public WsdOptions() {
        this(3e-4, 0, 0, 0, "exponential");
    }

    WsdOptions(double peak, long warmupSteps, double finalRate, long decaySteps, String decayCurve) {
        this(peak, warmupSteps, finalRate, decaySteps, decayCurve, 0, 0, 0);
    }

    Warmup warmup() {
        return new Warmup(warmupSteps, warmupFraction, warmupSamples, warmupTokens);
    }
}
