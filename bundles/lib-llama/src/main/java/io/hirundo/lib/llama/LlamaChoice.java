package io.hirundo.lib.llama;

import io.hirundo.ConfigurationException;
import io.hirundo.strategy.Choice;
import java.util.LinkedHashMap;
import java.util.Map;

/** A Llama as a strategy choice: architecture {@code llama} with options in camel case. */
public final class LlamaChoice {
  /** Name of the architecture. */
  public static final String NAME = "llama";

  private LlamaChoice() {}

  /** All options, with values. */
  public static Choice of(LlamaConfig config) {
    var sizes = config.sizes();
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("vocabSize", sizes.vocabulary());
    options.put("hiddenSize", sizes.hidden());
    options.put("intermediateSize", sizes.intermediate());
    options.put("numHiddenLayers", sizes.layers());
    options.put("numAttentionHeads", config.heads().query());
    options.put("numKeyValueHeads", config.heads().keyValue());
    options.put("headDim", config.heads().dim());
    options.put("maxPositionEmbeddings", sizes.maxPositions());
    options.put("rmsNormEps", config.rmsNormEps());
    options.put("ropeTheta", config.rope().theta());
    options.put("ropeScaling", scaling(config.rope().scaling()));
    options.put("tieWordEmbeddings", config.tied());
    options.put("initializerRange", config.initializerRange());
    return new Choice(NAME, options);
  }

  private static Map<String, Object> scaling(LlamaConfig.Scaling scaling) {
    if (scaling == null) {
      return null;
    }
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("factor", scaling.factor());
    options.put("lowFreqFactor", scaling.lowFreqFactor());
    options.put("highFreqFactor", scaling.highFreqFactor());
    options.put("originalMaxPositionEmbeddings", scaling.originalMaxPositions());
    return options;
  }

  /**
   * The inverse of {@link #of}; missing options take the defaults of the architecture.
   *
   * @throws ConfigurationException names the wrong option
   */
  public static LlamaConfig read(Choice choice) {
    var fields = new Fields(choice.options(), "architecture " + NAME, ConfigurationException::new);
    var sizes =
        new LlamaConfig.Sizes(
            fields.whole("vocabSize", 1, 32000),
            fields.whole("hiddenSize", 1, 4096),
            fields.whole("intermediateSize", 1, 11008),
            fields.whole("numHiddenLayers", 1, 32),
            fields.whole("maxPositionEmbeddings", 1, 2048));
    int query = fields.whole("numAttentionHeads", 1, 32);
    int keyValue = fields.whole("numKeyValueHeads", 0, 0);
    int headDim = fields.whole("headDim", 0, 0);
    var heads =
        new LlamaConfig.Heads(query, keyValue == 0 ? query : keyValue, headDim == 0 ? sizes.hidden() / query : headDim);
    return new LlamaConfig(
        sizes,
        heads,
        new LlamaConfig.Rope(fields.positive("ropeTheta", 10000), scaling(fields)),
        fields.positive("rmsNormEps", 1e-6),
        fields.truth("tieWordEmbeddings", false),
        fields.number("initializerRange", 0.02));
  }

  private static LlamaConfig.Scaling scaling(Fields fields) {
    if (!fields.has("ropeScaling")) {
      return null;
    }
    Fields scaling = fields.object("ropeScaling");
    return new LlamaConfig.Scaling(
        scaling.positive("factor", 8),
        scaling.positive("lowFreqFactor", 1),
        scaling.positive("highFreqFactor", 4),
        scaling.whole("originalMaxPositionEmbeddings", 1, 8192));
  }
}
