package io.hirundo.fp8blockwise.internal;

import io.hirundo.strategy.Setting;

/** Options of the precision {@code fp8-blockwise}. */
public record Fp8BlockwiseOptions(
        @Setting(
                value = "block scale: the largest power of two that fits, or any value, to use the full range",
                allowed = {POWER_OF_TWO, EXACT})
        String scales,

        @Setting(
                value =
                        "8-bit type of output gradients: E4M3 for precision, E5M2 for range; all other operands are E4M3",
                allowed = {E4M3, E5M2})
        String gradients,

        @Setting(
                value =
                        "alignment of scale blocks in sharded layers: as on a single rank, or starting with every rank's shard",
                allowed = {ALIGNED, SHARD_LOCAL})
        String blocks,

        @Setting(value = "transformer blocks at the start of the model that stay in bf16", min = 0)
        int firstInBf16,

        @Setting(value = "transformer blocks at the end of the model that stay in bf16", min = 0)
        int lastInBf16,

        @Setting("whether query, key and value projections run in fp8")
        boolean queryKeyValue,

        @Setting("whether the loss head runs in fp8") boolean head,

        @Setting(
                value =
                        "what pipeline stages send: values, or fp8 with a scale per 1 x 128 block (half the bytes, lossy)",
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

    /** A copy with another block placement. */
    Fp8BlockwiseOptions withBlocks(String other) {
        return new Fp8BlockwiseOptions(
                scales, gradients, other, firstInBf16, lastInBf16, queryKeyValue, head, pipelineSends);
    }

    /** Whether stages send unquantized values. */
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

    /** With a scale per block, gradients too need precision more than range. */
    public Fp8BlockwiseOptions() {
        this(POWER_OF_TWO, E4M3, ALIGNED, 0, 0, true, false);
    }
}
