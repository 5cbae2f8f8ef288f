package io.hirundo.learningrate.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code constant}.
 *
 * @param peak rate after the warm-up
 * @param warmupSteps steps of linear warm-up
 */
public record ConstantOptions(
    @Setting(value = "Learning rate after the warm-up, above 0", min = 0) double peak,
    @Setting(value = "Steps in which the rate rises linearly from 0 to the peak", min = 0) long warmupSteps) {
  public ConstantOptions() {
    this(3e-4, 0);
  }
}
