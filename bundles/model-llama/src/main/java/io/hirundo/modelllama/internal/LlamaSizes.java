package io.hirundo.modelllama.internal;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
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
        CHECK.require(
                "slidingWindow",
                o.slidingWindow(),
                o.slidingWindow() == 0 || o.slidingWindow() > 0 && !o.attentionBias() && !o.mlpBias(),
                "0, or a number of positions in a model without biases, as Mistral is");
        return new LlamaSizes(o, heads, ScaledFrequencies.of(heads.dim(), o.ropeTheta(), o.ropeScaling()));
    }

    /** Llama 2, 3 and 3.1 to 3.3 (Touvron et al. 2023, arXiv 2307.09288; Llama Team 2024, arXiv 2407.21783); Mistral (Jiang et al. 2023, arXiv 2310.06825). */
    Decoder decoder() {
        boolean attention = options.attentionBias();
        var features = new Decoder.Features(false, attention, attention, options.mlpBias());
        return new Decoder(sizes(options), heads, inverseFrequencies, features, style());
    }

    private Decoder.Style style() {
        AttentionOptions window = options.slidingWindow() == 0
                ? AttentionOptions.NONE
                : AttentionOptions.NONE.withWindow(options.slidingWindow());
        return Decoder.Style.PLAIN.with(List.of(window));
    }

    private static Decoder.Sizes sizes(LlamaOptions o) {
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

    private static void checkScaling(LlamaRopeScaling s) {
        if (s == null) {
            return;
        }
        CHECK.require("ropeScaling.factor", s.factor(), s.factor() >= 1 && Double.isFinite(s.factor()), "at least 1");
        CHECK.require(
                "ropeScaling.lowFreqFactor", s.lowFreqFactor(), OptionCheck.isPositive(s.lowFreqFactor()), "above 0");
        CHECK.require(
                "ropeScaling.highFreqFactor",
                s.highFreqFactor(),
                s.highFreqFactor() > s.lowFreqFactor() && Double.isFinite(s.highFreqFactor()),
                "above lowFreqFactor, " + s.lowFreqFactor());
        CHECK.atLeastOne("ropeScaling.originalMaxPositionEmbeddings", s.originalMaxPositionEmbeddings());
    }
}
