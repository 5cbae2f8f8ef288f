package io.hirundo.modelllama.internal;

import io.hirundo.kernel.Heads;
import io.hirundo.lib.transformer.block.Decoder;
import io.hirundo.lib.transformer.block.OptionCheck;
import java.util.List;

/**
 * Validated options and derived sizes.
 *
 * @param options as configured
 * @param heads of the attention
 * @param inverseFrequencies of the rotary embedding, scaled
 */
record LlamaSizes(LlamaOptions options, Heads heads, List<Double> inverseFrequencies) {
  private static final OptionCheck CHECK = new OptionCheck(LlamaFactory.NAME);

  /** Rejects options that cannot make a model. */
  static LlamaSizes of(LlamaOptions o) {
    CHECK.sizes(sizes(o));
    CHECK.require("ropeTheta", o.ropeTheta(), OptionCheck.isPositive(o.ropeTheta()), "above 0");
    Heads heads = CHECK.heads(o.numAttentionHeads(), o.numKeyValueHeads(), o.headDim(), o.hiddenSize());
    checkScaling(o.ropeScaling());
    return new LlamaSizes(o, heads, ScaledFrequencies.of(heads.dim(), o.ropeTheta(), o.ropeScaling()));
  }

  /** Llama 2, 3 and 3.1 to 3.3 (Touvron et al. 2023, arXiv 2307.09288; Llama Team 2024, arXiv 2407.21783). */
  Decoder decoder() {
    boolean attention = options.attentionBias();
    return new Decoder(
        sizes(options), heads, inverseFrequencies, new Decoder.Features(false, attention, attention, options.mlpBias()));
  }

  private static Decoder.Sizes sizes(LlamaOptions o) {
    return new Decoder.Sizes(
        o.vocabSize(), o.hiddenSize(), o.intermediateSize(), o.numHiddenLayers(), o.maxPositionEmbeddings(), o.rmsNormEps(),
        o.tieWordEmbeddings(), o.initializerRange());
  }

  private static void checkScaling(LlamaRopeScaling s) {
    if (s == null) {
      return;
    }
    CHECK.require("ropeScaling.factor", s.factor(), s.factor() >= 1 && Double.isFinite(s.factor()), "at least 1");
    CHECK.require("ropeScaling.lowFreqFactor", s.lowFreqFactor(), OptionCheck.isPositive(s.lowFreqFactor()), "above 0");
    CHECK.require(
        "ropeScaling.highFreqFactor",
        s.highFreqFactor(),
        s.highFreqFactor() > s.lowFreqFactor() && Double.isFinite(s.highFreqFactor()),
        "above lowFreqFactor, " + s.lowFreqFactor());
    CHECK.atLeastOne("ropeScaling.originalMaxPositionEmbeddings", s.originalMaxPositionEmbeddings());
  }
}
