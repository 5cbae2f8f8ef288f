package io.hirundo.modelqwen.internal;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.transformer.block.Decoder;
import io.hirundo.lib.transformer.block.OptionCheck;
import io.hirundo.lib.transformer.block.RotaryFrequencies;
import java.util.stream.IntStream;

/**
 * Validated options and derived sizes.
 *
 * @param options as configured
 * @param heads of the attention
 */
record QwenSizes(QwenOptions options, Heads heads) {
    private static final OptionCheck CHECK = new OptionCheck(QwenFactory.NAME);

    /** Rejects options that cannot make a model. */
    static QwenSizes of(QwenOptions o) {
        CHECK.require("modelType", o.modelType(), o.modelType() != null, "qwen2 or qwen3");
        CHECK.sizes(sizes(o));
        CHECK.require("ropeTheta", o.ropeTheta(), OptionCheck.isPositive(o.ropeTheta()), "above 0");
        boolean hasOwnBiases = o.modelType() == QwenType.QWEN2;
        CHECK.require(
                "attentionBias",
                o.attentionBias(),
                !o.attentionBias() || !hasOwnBiases,
                "false for qwen2, whose biases are fixed");
        int window = o.slidingWindow();
        CHECK.require("slidingWindow", window, window >= 0, "0 or more");
        int first = o.maxWindowLayers();
        CHECK.require(
                "maxWindowLayers",
                first,
                window == 0 ? first == 0 : first >= 0 && first < o.numHiddenLayers(),
                window == 0 ? "0 without slidingWindow" : "0 to numHiddenLayers - 1, " + (o.numHiddenLayers() - 1));
        return new QwenSizes(o, CHECK.heads(o.numAttentionHeads(), o.numKeyValueHeads(), o.headDim(), o.hiddenSize()));
    }

    /** Qwen 2 and 2.5 (Qwen Team 2024, arXiv 2407.10671 and 2412.15115), and Qwen 3 (2025, arXiv 2505.09388). */
    Decoder decoder() {
        var features = new Decoder.Features(hasHeadNorms(), hasBiases(), options.attentionBias(), false);
        return new Decoder(
                sizes(options), heads, RotaryFrequencies.of(heads.dim(), options.ropeTheta()), features, style());
    }

    private Decoder.Style style() {
        if (options.slidingWindow() == 0) {
            return Decoder.Style.PLAIN;
        }
        AttentionOptions window = AttentionOptions.NONE.withWindow(options.slidingWindow());
        return Decoder.Style.PLAIN.with(IntStream.range(0, options.numHiddenLayers())
                .mapToObj(layer -> layer < options.maxWindowLayers() ? AttentionOptions.NONE : window)
                .toList());
    }

    boolean hasHeadNorms() {
        return options.modelType() == QwenType.QWEN3;
    }

    /** Of queries, keys and values. */
    boolean hasBiases() {
        return options.modelType() == QwenType.QWEN2 || options.attentionBias();
    }

    private static Decoder.Sizes sizes(QwenOptions o) {
        return new Decoder.Sizes(
                o.vocabSize(),
                o.hiddenSize(),
                o.intermediateSize(),
                o.numHiddenLayers(),
                o.maxPositionEmbeddings(),
                o.rmsNormEps(),
                o.tieWordEmbeddings(),
                o.initializerRange());
    }
}
