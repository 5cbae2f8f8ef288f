package io.hirundo.modelllama.internal;

import io.hirundo.strategy.Setting;

/**
 * Sizes of a Llama, under the names of a Hugging Face {@code config.json} in camel case. The defaults are those of Hugging
 * Face's {@code LlamaConfig}, so that a field which a published configuration leaves out means the same here.
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
 * @param ropeScaling how the frequencies are stretched, or null
 * @param tieWordEmbeddings whether the head's matrix is the embedding's
 * @param initializerRange standard deviation of new matrices
 */
public record LlamaOptions(
    @Setting(value = "Tokens of the vocabulary", min = 1) int vocabSize,
    @Setting(value = "Channels of the residual stream", min = 1) int hiddenSize,
    @Setting(value = "Inner channels of the gated MLP", min = 1) int intermediateSize,
    @Setting(value = "Transformer blocks", min = 1) int numHiddenLayers,
    @Setting(value = "Query heads", min = 1) int numAttentionHeads,
    @Setting(value = "Key/value heads, a divisor of the query heads; 0 for as many as query heads", min = 0)
        int numKeyValueHeads,
    @Setting(value = "Channels of a head, even; 0 for hiddenSize / numAttentionHeads", min = 0) int headDim,
    @Setting(value = "Longest sequence, in tokens", min = 1) int maxPositionEmbeddings,
    @Setting(value = "Epsilon of the norms, above 0", min = 0) double rmsNormEps,
    @Setting(value = "Base of the rotary frequencies, above 0", min = 0) double ropeTheta,
    @Setting("Stretching of the rotary frequencies as in Llama 3.1; null for none") LlamaRopeScaling ropeScaling,
    @Setting("Whether the head's matrix is the embedding's") boolean tieWordEmbeddings,
    @Setting(value = "Standard deviation of new matrices", min = 0) double initializerRange) {
  /** The sizes of Llama 2 7B. */
  public LlamaOptions() {
    this(32000, 4096, 11008, 32, 32, 0, 0, 2048, 1e-6, 10000, null, false, 0.02);
  }
}
