package io.hirundo.parallelcp.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code ring} and {@code all-gather}.
 *
 * @param overlap whether attention is computed while keys and values travel
 */
public record OverlapOptions(
    @Setting("compute attention to the keys at hand while others travel") boolean overlap) {
  public OverlapOptions() {
    this(true);
  }
}
