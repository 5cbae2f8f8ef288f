package io.hirundo.dataloader.internal.synthetic;

import io.hirundo.strategy.Setting;

/**
 * Options of the data source {@code synthetic}.
 *
 * @param vocabulary all tokens are below it
 * @param seed of the first tokens
 */
public record SyntheticOptions(
    @Setting(value = "All tokens are below it", min = 2) int vocabulary,
    @Setting("Other seeds give other samples; the seed of the run counts as well") long seed) {
  public SyntheticOptions() {
    this(256, 1);
  }
}
