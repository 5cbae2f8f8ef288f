package io.hirundo.paralleldp.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code fsdp}.
 *
 * @param overlap whether weights and gradients travel while other blocks work
 */
public record FsdpOptions(
    @Setting("fetch the weights of the next block, and add up gradients of the one before, while a block works; takes memory for one more block")
        boolean overlap) {
  public FsdpOptions() {
    this(true);
  }
}
