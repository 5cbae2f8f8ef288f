package io.hirundo.modelllama.internal;

import io.hirundo.strategy.Setting;

/**
 * Sizes of a Llama, named as in a Hugging Face {@code config.json} but in camel case. The defaults are those of Hugging Face's
 * {@code LlamaConfig}, so that a field missing in a published configuration means the same here.
 *
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
 * @param ropeScaling scaling of the frequencies, or null
 * @param tieWordEmbeddings whether the output projection shares the embedding's weight
 * @param initializerRange standard deviation of initial weights
 * @param attentionBias whether the four projections of the attention have biases
 * @param mlpBias whether the three projections of the MLP have biases
 * @param slidingWindow positions that a query sees, its own included, as in Mistral 7B 0.1; 0 for all earlier ones
 */
public record LlamaOptions(
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

        @Setting("Stretching of the rotary frequencies as in Llama 3.1; null for none")
        LlamaRopeScaling ropeScaling,

        @Setting("Whether the head's matrix is the embedding's")
        boolean tieWordEmbeddings,

        @Setting(value = "Standard deviation of new matrices", min = 0)
        double initializerRange,

        @Setting("Whether the projections of the attention have biases")
        boolean attentionBias,

        @Setting("Whether the projections of the MLP have biases")
        boolean mlpBias,

        @Setting(
                value = "Positions that attention sees, as in Mistral; 0 for all earlier ones",
                min = 0,
                max = MOST_POSITIONS)
        int slidingWindow) {
    /** 64 times the 262,144 of Gemma 3. */
    private static final int MOST_TOKENS = 1 << 24;

    /** 19 times the inner 53,248 of Llama 3.1 405B. */
    private static final int MOST_CHANNELS = 1 << 20;

    /** 32 times the 126 of Llama 3.1 405B, and four times those of DeepNet. */
    private static final int MOST_LAYERS = 1 << 12;

    /** 128 times the 128 of Llama 3.1 405B. */
    private static final int MOST_HEADS = 1 << 14;

    /** 32 times the 512 of the largest published heads. */
    private static final int MOST_HEAD_CHANNELS = 1 << 14;

    /** 13 times the 10 million of Llama 4 Scout. */
    private static final int MOST_POSITIONS = 1 << 27;

    /** The sizes of Llama 2 7B. */
    public LlamaOptions() {
        this(32000, 4096, 11008, 32, 32, 0, 0, 2048, 1e-6, 10000, null, false, 0.02, false, false, 0);
    }
}
