package org.example.olmo2;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code model.architecture.options}, named as in a Hugging Face {@code config.json} but in camel case. Each component's
 * annotation documents and bounds it; validation, help and the JSON schema derive from it.
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
 * @param tieWordEmbeddings whether the output projection shares the embedding's weight
 * @param initializerRange standard deviation of initial weights
 */
public record Olmo2Options(
        @Setting(value = "Tokens of the vocabulary", min = 1, max = MOST)
        int vocabSize,

        @Setting(value = "Channels of the residual stream", min = 1, max = MOST)
        int hiddenSize,

        @Setting(value = "Inner channels of the gated MLP", min = 1, max = MOST)
        int intermediateSize,

        @Setting(value = "Transformer blocks", min = 1, max = MOST_LAYERS)
        int numHiddenLayers,

        @Setting(value = "Query heads", min = 1, max = MOST) int numAttentionHeads,

        @Setting(
                value = "Key/value heads, a divisor of the query heads; 0 for as many as query heads",
                min = 0,
                max = MOST)
        int numKeyValueHeads,

        @Setting(value = "Channels of a head, even; 0 for hiddenSize / numAttentionHeads", min = 0, max = MOST)
        int headDim,

        @Setting(value = "Longest sequence, in tokens", min = 1, max = MOST)
        int maxPositionEmbeddings,

        @Setting(value = "Epsilon of the norms, above 0", min = 0)
        double rmsNormEps,

        @Setting(value = "Base of the rotary frequencies, above 0", min = 0)
        double ropeTheta,

        @Setting("Whether the head's matrix is the embedding's")
        boolean tieWordEmbeddings,

        @Setting(value = "Standard deviation of new matrices", min = 0)
        double initializerRange) {
    /** Larger sizes are typing errors. */
    private static final int MOST = 1 << 24;

    private static final int MOST_LAYERS = 1 << 12;

    /** The sizes of OLMo 2 7B. */
    public Olmo2Options() {
        this(100352, 4096, 11008, 32, 32, 0, 0, 4096, 1e-6, 500000, false, 0.02);
    }
}
