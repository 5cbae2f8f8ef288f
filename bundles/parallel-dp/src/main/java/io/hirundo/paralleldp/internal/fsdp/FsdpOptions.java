package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code fsdp}.
 *
 * @param overlap whether weights and gradients travel while other blocks work
 * @param gatherCodes whether weights of 8-bit products travel as their codes
 */
public record FsdpOptions(
    @Setting("fetch the weights of the next block, and add up gradients of the one before, while a block works; takes memory for one more block")
        boolean overlap,
    @Setting("fetch weights that are multiplied in 8 bits as 8-bit codes, where precision and device have them; no bit of the result differs")
        boolean gatherCodes) {
  public FsdpOptions() {
    this(true, true);
  }
}
