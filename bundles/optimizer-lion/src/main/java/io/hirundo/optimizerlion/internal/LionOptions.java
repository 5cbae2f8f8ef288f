package io.hirundo.optimizerlion.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code lion}.
 *
 * @param beta1 share of the moving average in the update
 * @param beta2 decay of the moving average
 * @param weightDecay of matrices; vectors never decay
 */
public record LionOptions(
    @Setting(value = "Share of the moving average in the update; the rest is the gradient's", min = 0, max = 1) double beta1,
    @Setting(value = "Decay of the moving average of gradients, below 1", min = 0, max = 1) double beta2,
    @Setting(value = "Decoupled weight decay of matrices; vectors never decay", min = 0) double weightDecay) {
  public LionOptions() {
    this(0.9, 0.99, 0.1);
  }
}
