package io.hirundo.parallelpp.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code interleaved}.
 *
 * @param chunks parts of the model on each rank
 * @param group microbatches that pass one chunk before the next
 */
public record InterleavedOptions(
    @Setting(value = "parts of the model on each rank", min = 2, max = 1_024) int chunks,
    @Setting(value = "microbatches that pass a rank's chunk before they pass its next one, at least as many as ranks; 0 for as many", min = 0)
        int group) {
  public InterleavedOptions() {
    this(2, 0);
  }
}
