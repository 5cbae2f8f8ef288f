package io.hirundo.fp8blockwise.internal;

import io.hirundo.strategy.Setting;

/** Options of the precision {@code fp8-blockwise}. */
public record Fp8BlockwiseOptions(
    @Setting(
            value = "what a block's scale may be: the largest power of two that fits, or whatever uses the whole range",
            allowed = {POWER_OF_TWO, EXACT})
        String scales,
    @Setting(value = "blocks at the beginning of the model that stay in bf16", min = 0) int firstInBf16,
    @Setting(value = "blocks at the end of the model that stay in bf16", min = 0) int lastInBf16,
    @Setting("whether the projections to queries, keys and values are computed in fp8") boolean queryKeyValue,
    @Setting("whether the loss head is computed in fp8") boolean head) {
  public static final String POWER_OF_TWO = "power-of-two";
  public static final String EXACT = "exact";

  public Fp8BlockwiseOptions() {
    this(POWER_OF_TWO, 0, 0, true, false);
  }
}
