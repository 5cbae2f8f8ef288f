package io.hirundo.trainer.internal.config;

import io.hirundo.strategy.Setting;

/**
 * What rounding may change where another strategy takes over, and how far one microbatch may be from the same under the present one.
 * Strategies may set themselves tighter bounds, not looser ones.
 */
public record GateSection(
    @Setting("Whether the next microbatch is done under both, and products are checked, before the new strategy takes over") boolean enabled,
    @Setting(value = "What rounding of its operands may change in a layer's output: norm of the difference over norm", min = 0) double output,
    @Setting(value = "The same of a layer's input gradient", min = 0) double inputGradient,
    @Setting(value = "The same of a layer's weight gradient", min = 0) double weightGradient,
    @Setting(value = "How far the loss may be from that under the present strategies, relative", min = 0) double loss,
    @Setting(value = "The same of the gradient norm, where parallelism or schedule change", min = 0) double gradientNorm) {

  /** The defaults: wide enough for eight-bit floats, narrow enough for everything that is wrong. */
  public GateSection() {
    this(true, 0.1, 0.1, 0.1, 0.02, 0.1);
  }
}
