package io.hirundo.modelllama.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.Heads;
import java.util.List;

/**
 * Validated options and derived sizes.
 *
 * @param options as configured
 * @param heads of the attention
 * @param inverseFrequencies of the rotary embedding, scaled
 */
record LlamaSizes(LlamaOptions options, Heads heads, List<Double> inverseFrequencies) {
  /** Rejects options that cannot make a model. */
  static LlamaSizes of(LlamaOptions o) {
    atLeastOne("vocabSize", o.vocabSize());
    atLeastOne("hiddenSize", o.hiddenSize());
    atLeastOne("intermediateSize", o.intermediateSize());
    atLeastOne("numHiddenLayers", o.numHiddenLayers());
    atLeastOne("numAttentionHeads", o.numAttentionHeads());
    atLeastOne("maxPositionEmbeddings", o.maxPositionEmbeddings());
    require("rmsNormEps", o.rmsNormEps(), isPositive((float) o.rmsNormEps()), "above 0, also in FP32");
    require("ropeTheta", o.ropeTheta(), isPositive(o.ropeTheta()), "above 0");
    double range = o.initializerRange();
    require("initializerRange", range, range >= 0 && Float.isFinite((float) range), "at least 0 and finite in FP32");
    var heads = new Heads(o.numAttentionHeads(), keyValueHeads(o), headDim(o));
    checkScaling(o.ropeScaling());
    return new LlamaSizes(o, heads, RotaryFrequencies.of(heads.dim(), o.ropeTheta(), o.ropeScaling()));
  }

  private static int keyValueHeads(LlamaOptions o) {
    int keyValue = o.numKeyValueHeads() == 0 ? o.numAttentionHeads() : o.numKeyValueHeads();
    require(
        "numKeyValueHeads",
        o.numKeyValueHeads(),
        keyValue > 0 && o.numAttentionHeads() % keyValue == 0,
        "a divisor of numAttentionHeads, " + o.numAttentionHeads() + ", or 0 for as many");
    return keyValue;
  }

  private static int headDim(LlamaOptions o) {
    if (o.headDim() == 0) {
      long twice = 2L * o.numAttentionHeads();
      require(
          "hiddenSize",
          o.hiddenSize(),
          o.hiddenSize() % twice == 0,
          "a multiple of " + twice + " (twice numAttentionHeads), or headDim be given");
      return o.hiddenSize() / o.numAttentionHeads();
    }
    require("headDim", o.headDim(), o.headDim() > 0 && o.headDim() % 2 == 0, "even, or 0 for hiddenSize / numAttentionHeads");
    return o.headDim();
  }

  private static void checkScaling(LlamaRopeScaling s) {
    if (s == null) {
      return;
    }
    require("ropeScaling.factor", s.factor(), s.factor() >= 1 && Double.isFinite(s.factor()), "at least 1");
    require("ropeScaling.lowFreqFactor", s.lowFreqFactor(), isPositive(s.lowFreqFactor()), "above 0");
    require(
        "ropeScaling.highFreqFactor",
        s.highFreqFactor(),
        s.highFreqFactor() > s.lowFreqFactor() && Double.isFinite(s.highFreqFactor()),
        "above lowFreqFactor, " + s.lowFreqFactor());
    atLeastOne("ropeScaling.originalMaxPositionEmbeddings", s.originalMaxPositionEmbeddings());
  }

  private static boolean isPositive(double value) {
    return value > 0 && Double.isFinite(value);
  }

  private static void atLeastOne(String name, int value) {
    require(name, value, value >= 1, "at least 1");
  }

  private static void require(String name, Object value, boolean allowed, String what) {
    if (!allowed) {
      throw new ConfigurationException("architecture llama: " + name + " is " + value + ", but must be " + what);
    }
  }
}
