package io.hirundo.modelgemma2.internal;

import io.hirundo.strategy.Setting;

/**
 * Sizes of a Gemma 2, named as in a Hugging Face {@code config.json} but in camel case. The defaults are those of Gemma 2 2B, which are
 * those of Hugging Face's {@code Gemma2Config}.
 *
 * @param vocabSize V
 * @param hiddenSize C
 * @param intermediateSize F
 * @param numHiddenLayers transformer blocks
 * @param numAttentionHeads H
 * @param numKeyValueHeads G; 0 for as many as query heads
 * @param headDim D
 * @param maxPositionEmbeddings longest sequence, in tokens
 * @param rmsNormEps epsilon of every norm
 * @param ropeTheta base of the rotary frequencies
 * @param queryPreAttnScalar attention scores are scaled by one over its square root
 * @param slidingWindow positions that a query sees in every second layer, from the first on
 * @param attnLogitSoftcapping soft cap of attention scores; 0 for none
 * @param finalLogitSoftcapping soft cap of logits; 0 for none
 * @param tieWordEmbeddings whether the output projection shares the embedding's weight
 * @param initializerRange standard deviation of initial weights
 */
public record Gemma2Options(
        @Setting(value = "Tokens of the vocabulary", min = 1, max = MOST_TOKENS)
        int vocabSize,

        @Setting(value = "Channels of the residual stream", min = 1, max = MOST_CHANNELS)
        int hiddenSize,

        @Setting(value = "Inner channels of the gated MLP", min = 1, max = MOST_CHANNELS)
        int intermediateSize,

        @Setting(value = "Transformer blocks", min = 1, max = MOST_LAYERS)
        int numHiddenLayers,

        @Setting(value = "Query heads", min = 1, max = MOST_HEADS)
        int numAttentionHeads,

        @Setting(
                value = "Key/value heads, a divisor of the query heads; 0 for as many as query heads",
                min = 0,
                max = MOST_HEADS)
        int numKeyValueHeads,

        @Setting(value = "Channels of a head, even", min = 2, max = MOST_HEAD_CHANNELS)
        int headDim,

        @Setting(value = "Longest sequence, in tokens", min = 1, max = MOST_POSITIONS)
        int maxPositionEmbeddings,

        @Setting(value = "Epsilon of the norms, above 0", min = 0)
        double rmsNormEps,

        @Setting(value = "Base of the rotary frequencies, above 0", min = 0)
        double ropeTheta,

        @Setting(value = "Attention scores are scaled by one over its square root; above 0", min = 0)
        double queryPreAttnScalar,

        @Setting(
                value = "Positions that a query sees in every second layer, from the first on",
                min = 1,
                max = MOST_POSITIONS)
        int slidingWindow,

        @Setting(value = "Soft cap of attention scores; 0 for none", min = 0)
        double attnLogitSoftcapping,

        @Setting(value = "Soft cap of logits; 0 for none", min = 0)
        double finalLogitSoftcapping,

        @Setting("Whether the head's matrix is the embedding's")
        boolean tieWordEmbeddings,

        @Setting(value = "Standard deviation of new matrices", min = 0)
        double initializerRange) {
    /** 65 times the 256,000 of Gemma 2. */
    private static final int MOST_TOKENS = 1 << 24;

    /** 28 times the inner 36,864 of Gemma 2 27B. */
    private static final int MOST_CHANNELS = 1 << 20;

    /** 89 times the 46 of Gemma 2 27B. */
    private static final int MOST_LAYERS = 1 << 12;

    /** 512 times the 32 of Gemma 2 27B. */
    private static final int MOST_HEADS = 1 << 14;

    /** 64 times the 256 of Gemma 2 9B. */
    private static final int MOST_HEAD_CHANNELS = 1 << 14;

    /** 16,384 times the 8,192 of Gemma 2. */
    private static final int MOST_POSITIONS = 1 << 27;

    /** The sizes of Gemma 2 2B. */
    public Gemma2Options() {
        this(256000, 2304, 9216, 26, 8, 4, 256, 8192, 1e-6, 10000, 256, 4096, 50, 30, true, 0.02);
    }
}
