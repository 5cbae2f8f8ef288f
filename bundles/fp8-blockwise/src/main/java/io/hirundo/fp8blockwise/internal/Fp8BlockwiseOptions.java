package io.hirundo.fp8blockwise.internal;

import io.hirundo.strategy.Setting;

/** Options of the precision {@code fp8-blockwise}. */
public record Fp8BlockwiseOptions(
    @Setting(
            value = "what a block's scale may be: the largest power of two that fits, or whatever uses the whole range",
            allowed = {POWER_OF_TWO, EXACT})
        String scales,
    @Setting(
            value = "8-bit type of output gradients: with more mantissa, or with more range; all else is E4M3",
            allowed = {E4M3, E5M2})
        String gradients,
    @Setting(
            value = "where blocks begin that ranks share: where a single rank's do, or with every rank's share of a layer",
            allowed = {ALIGNED, SHARD_LOCAL})
        String blocks,
    @Setting(value = "blocks at the beginning of the model that stay in bf16", min = 0) int firstInBf16,
    @Setting(value = "blocks at the end of the model that stay in bf16", min = 0) int lastInBf16,
    @Setting("whether the projections to queries, keys and values are computed in fp8") boolean queryKeyValue,
    @Setting("whether the loss head is computed in fp8") boolean head,
    @Setting(
            value = "what pipeline stages hand on: values, or codes with a scale for 128 in a row, which rounds them",
            allowed = {BF16, FP8})
        String pipelineSends) {
  public static final String POWER_OF_TWO = "power-of-two";
  public static final String EXACT = "exact";
  public static final String ALIGNED = "aligned";
  public static final String SHARD_LOCAL = "shard-local";
  public static final String E4M3 = "e4m3";
  public static final String E5M2 = "e5m2";
  public static final String BF16 = "bf16";
  public static final String FP8 = "fp8";

  /** These, with other blocks. */
  Fp8BlockwiseOptions withBlocks(String other) {
    return new Fp8BlockwiseOptions(scales, gradients, other, firstInBf16, lastInBf16, queryKeyValue, head, pipelineSends);
  }

  /** Stages hand on values. */
  public Fp8BlockwiseOptions(
      String scales,
      String gradients,
      String blocks,
      int firstInBf16,
      int lastInBf16,
      boolean queryKeyValue,
      boolean head) {
    this(scales, gradients, blocks, firstInBf16, lastInBf16, queryKeyValue, head, BF16);
  }

  /** With scales of their own, blocks of gradients too need precision more than range. */
  public Fp8BlockwiseOptions() {
    this(POWER_OF_TWO, E4M3, ALIGNED, 0, 0, true, false);
  }
}
