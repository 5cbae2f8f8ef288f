package io.hirundo.modelgemma2.internal;

import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.transformer.block.Decoder;
import io.hirundo.lib.transformer.block.OptionCheck;
import io.hirundo.lib.transformer.block.RotaryFrequencies;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Validated options and derived sizes.
 *
 * @param options as configured
 * @param heads of the attention
 */
record Gemma2Sizes(Gemma2Options options, Heads heads) {
    private static final OptionCheck CHECK = new OptionCheck(Gemma2Factory.NAME);

    /** Rejects options that cannot make a model. */
    static Gemma2Sizes of(Gemma2Options o) {
        CHECK.sizes(sizes(o));
        CHECK.require("ropeTheta", o.ropeTheta(), OptionCheck.isPositive(o.ropeTheta()), "above 0");
        CHECK.require(
                "queryPreAttnScalar",
                o.queryPreAttnScalar(),
                OptionCheck.isPositive(o.queryPreAttnScalar()),
                "above 0");
        CHECK.atLeastOne("slidingWindow", o.slidingWindow());
        CHECK.atLeastOne("headDim", o.headDim());
        requireCap("attnLogitSoftcapping", o.attnLogitSoftcapping());
        requireCap("finalLogitSoftcapping", o.finalLogitSoftcapping());
        return new Gemma2Sizes(
                o, CHECK.heads(o.numAttentionHeads(), o.numKeyValueHeads(), o.headDim(), o.hiddenSize()));
    }

    private static void requireCap(String name, double cap) {
        CHECK.require(
                name, cap, cap == 0 || OptionCheck.isPositive((float) cap), "above 0, also in FP32, or 0 for none");
    }

    /** Gemma 2 (Gemma Team 2024, arXiv 2408.00118). */
    Decoder decoder() {
        return new Decoder(
                sizes(options),
                heads,
                RotaryFrequencies.of(heads.dim(), options.ropeTheta()),
                Decoder.Features.NONE,
                style());
    }

    private Decoder.Style style() {
        AttentionOptions global = AttentionOptions.NONE.withScale(1 / Math.sqrt(options.queryPreAttnScalar()));
        if (options.attnLogitSoftcapping() > 0) {
            global = global.withSoftCap(options.attnLogitSoftcapping());
        }
        return new Decoder.Style(
                true,
                1,
                GateActivation.GELU_TANH,
                Math.sqrt(options.hiddenSize()),
                cap(options.finalLogitSoftcapping()),
                List.of(global.withWindow(options.slidingWindow()), global));
    }

    private static OptionalDouble cap(double cap) {
        return cap == 0 ? OptionalDouble.empty() : OptionalDouble.of(cap);
    }

    private static Decoder.Sizes sizes(Gemma2Options o) {
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
