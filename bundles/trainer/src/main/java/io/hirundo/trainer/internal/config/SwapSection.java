package io.hirundo.trainer.internal.config;

import io.hirundo.strategy.Setting;

/** How strategies are replaced while the run goes on. */
public record SwapSection(
    @Setting("What must agree before a strategy that computes takes over") GateSection gate,
    @Setting(value = "Steps that the loss is watched for after a swap; 0 for none", min = 0) long watchSteps,
    @Setting(
            value = "How far the loss may rise above its mean of before, as a part of it, until the strategy is taken back",
            min = 0)
        double watchRise,
    @Setting(
            value = "Seconds that the run waits for a strategy whose bundle has gone, before it saves and ends",
            min = 0)
        long waitSeconds) {

  /** The defaults. */
  public SwapSection() {
    this(new GateSection(), 20, 0.25, 600);
  }
}
