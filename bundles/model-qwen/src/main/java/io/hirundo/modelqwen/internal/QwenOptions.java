package io.hirundo.modelqwen.internal;

import io.hirundo.strategy.Setting;

/**
 * Sizes of a Qwen, named as in a Hugging Face {@code config.json} but in camel case. The defaults are those of Qwen 3 0.6B.
 *
 * @param modelType biases or norms on heads
 * @param vocabSize V
 * @param hiddenSize C
 * @param intermediateSize F
 * @param numHiddenLayers transformer blocks
 * @param numAttentionHeads H
 * @param numKeyValueHeads G; 0 for as many as query heads
 * @param headDim D; 0 for C / H
 * @param maxPositionEmbeddings longest sequence, in tokens
 * @param rmsNormEps epsilon of every norm
 * @param ropeTheta base of the rotary frequencies
 * @param tieWordEmbeddings whether the output projection shares the embedding's weight
 * @param initializerRange standard deviation of initial weights
 * @param attentionBias whether the four projections of the attention have biases; in a Qwen 3 alone
 * @param slidingWindow positions that a query sees, its own included, in all layers but the first ones; 0 for all earlier ones
 * @param maxWindowLayers layers before the first one with a window; 0 without windows
 */
public record QwenOptions(
        @Setting(
                "Generation: qwen2 (also Qwen 2.5) has biases of queries, keys and values; qwen3 has norms on the heads of queries and keys")
        QwenType modelType,

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

        @Setting(
                value = "Channels of a head, even; 0 for hiddenSize / numAttentionHeads",
                min = 0,
                max = MOST_HEAD_CHANNELS)
        int headDim,

        @Setting(value = "Longest sequence, in tokens", min = 1, max = MOST_POSITIONS)
        int maxPositionEmbeddings,

        @Setting(value = "Epsilon of the norms, above 0", min = 0)
        double rmsNormEps,

        @Setting(value = "Base of the rotary frequencies, above 0", min = 0)
        double ropeTheta,

        @Setting("Whether the head's matrix is the embedding's")
        boolean tieWordEmbeddings,

        @Setting(value = "Standard deviation of new matrices", min = 0)
        double initializerRange,

        @Setting("Whether all projections of the attention of a qwen3 have biases")
        boolean attentionBias,

        @Setting(
                value = "Positions that attention sees in layers from maxWindowLayers on; 0 for all earlier ones",
                min = 0,
                max = MOST_POSITIONS)
        int slidingWindow,

        @Setting(value = "Layers before the first one with a slidingWindow", min = 0, max = MOST_LAYERS)
        int maxWindowLayers) {
    /** 110 times the 152,064 of Qwen 2.5 72B. */
    private static final int MOST_TOKENS = 1 << 24;

    /** 35 times the inner 29,568 of Qwen 2.5 72B. */
    private static final int MOST_CHANNELS = 1 << 20;

    /** 51 times the 80 of Qwen 2.5 72B. */
    private static final int MOST_LAYERS = 1 << 12;

    /** 256 times the 64 of Qwen 3 32B. */
    private static final int MOST_HEADS = 1 << 14;

    /** 128 times the 128 of Qwen 3. */
    private static final int MOST_HEAD_CHANNELS = 1 << 14;

    /** 128 times the million of Qwen 2.5 1M. */
    private static final int MOST_POSITIONS = 1 << 27;

    /** The sizes of Qwen 3 0.6B. */
    public QwenOptions() {
        this(QwenType.QWEN3, 151936, 1024, 3072, 28, 16, 8, 128, 40960, 1e-6, 1e6, true, 0.02, false, 0, 0);
    }
}
