package io.hirundo.lib.transformer;

/** Size of the token chunks in which a {@link io.hirundo.model.layer.LossHeadLayer} computes logits. */
public final class LogitChunks {
    /** Fewer tokens make an inefficient GEMM. */
    private static final long LEAST_TOKENS = 64;

    /** Logits that fit a shared cache. */
    private static final long CACHED_BYTES = 16L << 20;

    private LogitChunks() {}

    /**
     * Tokens of a chunk: the largest of 64 tokens, 16 MiB of logits, and a quarter of the channels. Each chunk reads and writes the
     * whole weight gradient; with a large vocabulary that takes longer than the GEMM of a few tokens. At a quarter of the channels,
     * BF16 logits move an eighth of the bytes of the FP32 gradient.
     *
     * @param columns of the logits on this rank
     * @param channels of {@code hTC}
     * @param elementBytes of a logit
     */
    public static long tokens(long columns, long channels, int elementBytes) {
        return Math.max(LEAST_TOKENS, Math.max(CACHED_BYTES / (columns * elementBytes), channels / 4));
    }
}
