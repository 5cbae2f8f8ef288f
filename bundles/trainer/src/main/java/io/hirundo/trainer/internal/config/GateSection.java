package io.hirundo.trainer.internal.config;

import io.hirundo.strategy.Setting;

/**
 * How far one microbatch under a new strategy may be from the same under the present one. Strategies may set themselves
 * tighter bounds, not looser ones.
 */
public record GateSection(
    @Setting("Whether the next microbatch is done under both before the new strategy takes over") boolean enabled,
    @Setting(value = "Of a layer's output: norm of the difference over norm", min = 0) double output,
    @Setting(value = "Of a layer's input gradient", min = 0) double inputGradient,
    @Setting(value = "Of a layer's weight gradient", min = 0) double weightGradient,
    @Setting(value = "Of the loss, relative", min = 0) double loss,
    @Setting(value = "Of the gradient norm, relative", min = 0) double gradientNorm) {

  /** The defaults: wide enough for eight-bit floats, narrow enough for everything that is wrong. */
  public GateSection() {
    this(true, 0.1, 0.1, 0.1, 0.02, 0.1);
  }
}
