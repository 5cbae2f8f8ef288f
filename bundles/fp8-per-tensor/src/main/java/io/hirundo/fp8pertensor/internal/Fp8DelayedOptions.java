package io.hirundo.fp8pertensor.internal;

import io.hirundo.strategy.Setting;

/** Options of the precision {@code fp8-delayed}. */
public record Fp8DelayedOptions(
    @Setting(value = "steps whose largest magnitudes are remembered", min = 1, max = 65536) int history,
    @Setting(
            value = "what a scale is made of: the largest magnitude of these steps, or that of the last one",
            allowed = {MAX, MOST_RECENT})
        String amax,
    @Setting(value = "room that a scale leaves for larger magnitudes than those remembered, as a power of two", min = 0, max = 8)
        int margin,
    @Setting(
            value = "8-bit type of output gradients: with more mantissa, or with more range; all else is E4M3",
            allowed = {Codes.E4M3, Codes.E5M2})
        String gradients,
    @Setting(
            value = "what a scale may be: the largest power of two that fits, or whatever uses the whole range",
            allowed = {Codes.POWER_OF_TWO, Codes.EXACT})
        String scales,
    @Setting(value = "blocks at the beginning of the model that stay in bf16", min = 0) int firstInBf16,
    @Setting(value = "blocks at the end of the model that stay in bf16", min = 0) int lastInBf16,
    @Setting("whether the projections to queries, keys and values are computed in fp8") boolean queryKeyValue,
    @Setting("whether the loss head is computed in fp8") boolean head) {
  public static final String MAX = "max";
  public static final String MOST_RECENT = "most-recent";

  /** As NVIDIA's Transformer Engine has them. */
  public Fp8DelayedOptions() {
    this(1024, MAX, 0, Codes.E5M2, Codes.EXACT, 0, 0, true, false);
  }
}
