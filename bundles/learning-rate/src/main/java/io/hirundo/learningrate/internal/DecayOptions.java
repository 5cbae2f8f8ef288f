package io.hirundo.learningrate.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code linear} and {@code cosine}.
 *
 * @param peak rate after the warm-up
 * @param warmupSteps steps of linear warm-up
 * @param finalRate rate of the last step
 */
public record DecayOptions(
    @Setting(value = "Highest learning rate, above 0", min = 0) double peak,
    @Setting(value = "Steps in which the rate rises linearly from 0 to the peak", min = 0) long warmupSteps,
    @Setting(value = "Learning rate of the last step, at most the peak", min = 0) double finalRate) {
  public DecayOptions() {
    this(3e-4, 0, 0);
  }
}
