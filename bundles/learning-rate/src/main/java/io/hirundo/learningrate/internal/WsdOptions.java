package io.hirundo.learningrate.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code wsd}.
 *
 * @param peak rate between warm-up and decay
 * @param warmupSteps steps of linear warm-up
 * @param finalRate rate of the last step
 * @param decaySteps length of the decay
 * @param decayCurve its curve
 */
public record WsdOptions(
    @Setting(value = "Learning rate between warm-up and decay, above 0", min = 0) double peak,
    @Setting(value = "Steps in which the rate rises linearly from 0 to the peak", min = 0) long warmupSteps,
    @Setting(value = "Learning rate of the last step, at most the peak", min = 0) double finalRate,
    @Setting(value = "Last steps in which the rate falls; 0 for a tenth of the steps after the warm-up", min = 0)
        long decaySteps,
    @Setting(
            value = "Curve of the fall",
            allowed = {"linear", "cosine", "exponential", "minus_sqrt"})
        String decayCurve) {
  public WsdOptions() {
    this(3e-4, 0, 0, 0, "exponential");
  }
}
